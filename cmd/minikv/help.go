package main

import (
	"fmt"
	"strings"

	"minikv/engine/config"
)

const helpText = `minikv is an in-memory server that speaks Redis's protocol.

Usage:
  minikv [redis.conf|-] [--directive value ...]
%s
The first word may be a configuration file as Redis has it; "-" reads one from
standard input. Every directive of redis.conf can be given as an option too and
then wins over the file. Without any, minikv listens on 127.0.0.1:6379.

Where to listen:
  --port N                 6379; 0 takes a free port and prints it
  --bind ADDRESS ...       127.0.0.1 -::1
  --unixsocket PATH        a unix socket as well
  --tls-port N             with --tls-cert-file, --tls-key-file, --tls-ca-cert-file

Who may come in:
  --requirepass WORD       the password of the default user
  --aclfile FILE           users
  --maxclients N           10000

How much to hold:
  --databases N            16
  --maxmemory SIZE         such as 100mb; 0 is no limit
  --maxmemory-policy NAME  noeviction, allkeys-lru, volatile-ttl ...

What to be:
  --redis-version X        exactly the commands of 6.2, 7.0, 7.2 ... valkey-8.0
  --enable-debug-command yes|no|local
  --cluster N              a Redis cluster of N nodes, on port and those behind it

For tests (see also minikv exec and minikv replay):
  --ready-file PATH        written once clients can connect: the addresses, one a line
  --die-with-parent yes    end when the process that started minikv ends (Linux)
  --seed N                 of all randomness: the same commands get the same replies
  --trace-file PATH        write what clients do, for minikv replay
  --strict yes             refuse what breaks in a cluster or on large data
  --test-commands yes|no|local
                           who may use MINIKV.CLOCK and MINIKV.FAULT

What to tell:
  --loglevel NAME          debug, verbose, notice, warning, nothing
  --logfile FILE           instead of standard error
  --notify-keyspace-events KEA

Examples:
  minikv
  minikv --port 0
  minikv /etc/redis/redis.conf --port 7000 --loglevel verbose
  echo 'maxmemory 100mb' | minikv -

Data lives in memory. It is kept in a file only if asked for:
  --dir DIRECTORY          load dump.rdb from there at the start, if there is one
  --dbfilename NAME        another name for it
  --save "900 1"           save when so many seconds and changes have passed, and at the end
`

func runHelp(args []string, std stdio) int {
	if len(args) == 1 && args[0] == "directives" {
		return listDirectives(std)
	}
	if len(args) > 0 {
		return std.fail(fmt.Errorf("there is no help on %s", strings.Join(args, " ")))
	}
	var subs strings.Builder
	for _, sub := range subcommands() {
		fmt.Fprintf(&subs, "  minikv %-17s %s\n", strings.Join(sub.names[:min(len(sub.names), 2)], "|"), sub.summary)
	}
	fmt.Fprintf(std.out, helpText, subs.String())
	return exitOK
}

// listDirectives prints the table: name, default, and what there is to know.
func listDirectives(std stdio) int {
	for _, d := range config.Directives() {
		note := d.Own
		switch {
		case d.NoEffect != "":
			note = "no effect: " + d.NoEffect
		case d.Since != "":
			note = "since Redis " + d.Since
		}
		line := fmt.Sprintf("%-36s %-24s %s", d.Name, d.Default, note)
		fmt.Fprintln(std.out, strings.TrimRight(line, " "))
	}
	return exitOK
}
