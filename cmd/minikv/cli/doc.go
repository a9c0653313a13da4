// Package cli is "minikv cli": a command-line client whose answers look like
// redis-cli's, so that a learner needs no other tool.
//
// conn.go speaks to the server, session.go runs commands and loops, format.go
// shows replies, docs.go knows the commands' arguments, editor.go edits lines.
package cli
