#!/bin/sh
# Runs PostgreSQL with DocumentDB, FerretDB in front of it, and Redis on 127.0.0.1, for as long as standard input stays
# open. Mounts and processes live in namespaces of their own and end with them; the data goes last. What the servers
# have to say goes to standard output.
# usage: debian.sh FOLDER POSTGRESQL_PORT MONGODB_PORT REDIS_PORT   (FOLDER: what build.sh filled)
set -eu
export PATH="$PATH:/usr/sbin:/sbin"

outside() {
  data=$(mktemp -d "${TMPDIR:-/tmp}/dropleaf-test-servers.XXXXXX")
  trap : HUP INT TERM # its input alone ends it, so that it always cleans up
  code=0
  unshare --mount --ipc --pid --fork --kill-child -- \
    sh "$(dirname "$0")/held.sh" sh "$0" inside "$data" "$@" || code=$?
  rm -rf --one-file-system "$data"
  exit "$code"
}

inside() {
  data=$1 dir=$2 postgresql_port=$3 mongodb_port=$4 redis_port=$5
  root=$dir/root
  # A disk that others keep busy makes a database late, and tests fail of that; with memory to spare there is no disk.
  if [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -gt 8000000 ]; then mount -t tmpfs tmpfs "$data"; fi
  mkdir "$data/redis" "$data/ferretdb"
  cp -a "$root/srv/template" "$data/postgresql"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm" # a container's own may be too small
  mount --bind "$data/postgresql" "$root/srv/data"

  "$dir/bin/redis-server" --bind 127.0.0.1 --port "$redis_port" --save '' --appendonly no --dir "$data/redis" \
    --loglevel warning &
  chroot --userspec="$(stat -c %u:%g "$root/srv/data")" --groups= "$root" \
    /usr/bin/env -i HOME=/var/lib/postgresql PATH=/usr/bin:/bin LANG=C.UTF-8 \
    /usr/lib/postgresql/18/bin/pg_ctl -D /srv/data -o "-p $postgresql_port -c deadlock_timeout=200ms" -w -s start
  DO_NOT_TRACK=1 "$dir/bin/ferretdb" --postgresql-url="postgres://postgres@127.0.0.1:$postgresql_port/postgres" \
    --listen-addr="127.0.0.1:$mongodb_port" --no-auth --state-dir="$data/ferretdb" --debug-addr=- \
    --telemetry=disable --log-level=error &
  wait
}

if [ "$1" = inside ]; then
  shift
  inside "$@"
else
  outside "$@"
fi
