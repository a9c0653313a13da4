// Package transcript reads, runs, compares and writes transcripts: sessions
// with a server, as text. They are the corpus of the engine's tests and stand
// in engine/testdata/<group>/<command>.txt. This comment is the reference of
// their format.
//
// # How to write one
//
// Write comments and commands, no replies, and let a real redis-server fill
// those in:
//
//	go run ./engine/transcript/record engine/testdata/string/getdel.txt
//
// Read what it wrote. Then see whether the engine does the same:
//
//	go test ./engine -run Transcripts/string/getdel
//
// Recording again rewrites the replies and keeps the rest; record -n writes
// nothing and only shows where file and server differ. Replies to commands
// that are newer than the installed server are written by hand, below
// "# since", and the recorder leaves them alone.
//
// # What it looks like
//
//	# GETDEL answers the value and deletes the key.
//	> SET k v
//	OK
//	> GETDEL k
//	"v"
//	> GETDEL k
//	(nil)
//
// "> " begins a command, in redis-cli's notation: words between blanks,
// "..." with \n \r \t \b \a \\ \" \xHH, '...' with \'. While a quotation is open the
// command goes on in the next line, and the line break belongs to it; so a
// script may be written over several lines. The reply follows, as
// resp.Value.String shows it; several replies, as SUBSCRIBE gives, follow one
// another. No reply (CLIENT REPLY OFF) is no line.
//
// "# " begins a comment. Blank lines may stand between steps.
//
// # Several clients
//
// A name before the mark (a capital letter, then letters and digits) says who
// sends; "> " alone is a client too. A client is connected when it first
// sends. What a step makes the server tell others comes after the reply, line
// by line behind their names (": " is for the client without a name):
//
//	A> BLPOP l 0
//	(waiting)
//	B> RPUSH l x
//	(integer) 1
//	A: 1) "l"
//	A: 2) "x"
//
// (waiting) says that the command is blocked, or held back by CLIENT PAUSE;
// (closed) that the server has closed the connection: if the client sends
// again it is a new one.
//
// # Directives
//
// A comment that begins with one of these words, in lower case, is a
// directive. It holds for the next command.
//
//	# sorted             the order of the reply's elements is not defined
//	# sorted pairs       the elements come in pairs, whose order is not defined
//	# sorted all         the order at every depth is not defined
//	# approx 10          numbers may differ by as much: (integer) 5, (double) 5, "5"
//	# matches REGEXP     what follows the command (carriage returns left out)
//	                     matches, as a whole; . is a line break too
//	# any                the reply is not compared; it is only an error if the
//	                     recorded one is
//	# let NAME           the reply (of an array, its first element) stands for
//	                     ${NAME} in later commands, and is otherwise as any
//	# resp3              the client changes to RESP3 first, and stays there
//	# since 7.2          an older server does not run the command
//	# since valkey-8.1   nor does Redis, nor an older Valkey
//	# valkey             Redis does not run the command
//
// A recorded reply is replaced only where it does not agree in this sense, so
// recording twice changes nothing. Before the first command, since, valkey and
// resp3 hold for the whole file, and so does
//
//	# config NAME VALUE  the server's configuration from the start
//
// One directive is a step by itself. What it makes the server tell waiting
// clients follows it:
//
//	# after 100ms        so much time passes, and a little more
//	A: (nil array)
//
// In process the time is virtual and nobody waits. A real server is really
// waited for: keep pauses short, and the numbers that depend on them
// approximate (PTTL to 100). A CLIENT PAUSE of all commands must last 250 ms or
// more, since the recorder needs some of them to see it.
//
// # How it runs
//
// Each file runs on a fresh server with empty databases and, but for config
// and enable-debug-command yes, the default configuration. Over a socket one
// connection more is open than the transcript shows, which CLIENT LIST and
// CLIENT KILL TYPE normal see; it has sent one MULTI.
//
// # Escaped lines
//
// A line of a reply that could be mistaken (it is empty, begins with # or |,
// or looks like a command or another client's output) or that an editor would
// not keep (control bytes, a blank at its end, bytes that are not UTF-8) has a
// bar before it and backslash escapes in it, as in a quoted word:
//
//	| # Server\r
package transcript
