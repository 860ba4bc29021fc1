#!/bin/sh
# Brings up compose.yaml as a project of its own, and takes it down when standard input ends.
# usage: MONGODB_PORT=… REDIS_PORT=… docker.sh COMPOSE_FILE PROJECT
set -u
trap : HUP INT TERM # its input alone ends it, so that it always cleans up
docker compose --file "$1" --project-name "$2" up --detach --wait --quiet-pull && cat >/dev/null
code=$?
docker compose --file "$1" --project-name "$2" down --volumes --timeout 1 >/dev/null 2>&1 </dev/null
exit "$code"
