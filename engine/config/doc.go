// Package config is minikv's configuration: one table of directives, and the
// values they hold.
//
// A directive is declared once, as a row of the table (table_*.go): its name
// and alias, its default, what it accepts, whether it may change at run time,
// and the field of [Config] it sets. The redis.conf reader, the command line,
// CONFIG GET and CONFIG SET all work from that row. To add a directive is to
// add a row, and a field if somebody reads it often.
//
// Every directive of Redis is known, so that any redis.conf loads. One that
// has no effect in an in-memory server says why in NoEffect; its value is
// checked, kept and given back, and that is all.
//
// The package opens no file, reads no clock and has no state of its own. A
// Config belongs to one goroutine.
package config
