#!/bin/sh
# Runs a command for as long as its own standard input stays open, and gives its exit code; once the input ends, which
# it does whatever becomes of the process at its other end, the command is killed. Under `unshare --pid` this is the
# first process, with which all others end.
# usage: held.sh COMMAND [ARGUMENT...]
exec 3<&0
"$@" </dev/null 3<&- &
work=$!
{
  cat <&3 >/dev/null
  kill -KILL "$work" 2>/dev/null
} &
watcher=$!
code=0
wait "$work" || code=$?
kill "$watcher" 2>/dev/null # that number may soon be another's
exit "$code"
