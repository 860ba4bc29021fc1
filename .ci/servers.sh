#!/usr/bin/env bash
# Starts what the scale-out tests need on 127.0.0.1, on Debian as root with Go: Redis, and a MongoDB-compatible server,
# which is FerretDB in front of PostgreSQL with the DocumentDB extension. Installs nginx and Varnish as well.
# Everywhere else use compose.dev.yaml. The first start takes about two minutes. All data is new at each start.
# usage: eval "$(.ci/servers.sh start)"     sets MONGODB_URI and REDIS_URL
#        .ci/servers.sh stop
set -euo pipefail
dir=${DROPLEAF_SERVERS:-$HOME/.cache/dropleaf-servers}
root=$dir/root # PostgreSQL 18 with DocumentDB is in no released Debian: it gets a small Debian "forky" of its own
suite=forky postgres_port=27116 mongodb_port=27117 redis_port=27118
ferretdb=github.com/FerretDB/FerretDB/v2/cmd/ferretdb@v2.7.0
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH="$dir/bin:$PATH:/usr/sbin:/sbin"
in_root() { # the mounts end with the command
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' "$root" "$@"
}
as_postgres() { # with root's HOME every write would fail on a certificate file
  local path=/usr/lib/postgresql/18/bin:/usr/sbin:/usr/bin
  in_root env -i HOME=/var/lib/postgresql PATH=$path LANG=C.UTF-8 runuser -u postgres -- "$@"
}

no_services() { # packages that are installed below the folder $1 start no service
  install -m 755 /dev/stdin "$1/usr/sbin/policy-rc.d" <<<$'#!/bin/sh\nexit 101'
}

install_packages() {
  local packages=(debootstrap redis-server nginx-light varnish wget)
  if dpkg -s "${packages[@]}" &>/dev/null; then return; fi
  apt-get update -qq
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then no_services / && trap 'rm /usr/sbin/policy-rc.d' EXIT; fi
  apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

build_root() {
  if [[ -e $root.done ]]; then return; fi
  rm -rf --one-file-system "$root"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)" # the mirror is reached as apt reaches it
  if [[ -n ${http_proxy:-} ]]; then export http_proxy; fi
  local mirror uri
  for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | sort -u); do
    if wget -q -O- "${uri%/}/dists/$suite/InRelease" | grep '^Origin: Debian$' >/dev/null; then mirror=$uri; fi
  done
  debootstrap --variant=minbase "$suite" "$root" "${mirror:?no apt source has Debian $suite}" /usr/share/debootstrap/scripts/sid
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump | grep '^Acquire::' | grep -v '::IndexTargets' >"$root/etc/apt/apt.conf.d/90machine"
  local authorities=/etc/ssl/certs/ca-certificates.crt # for a mirror with https
  if [[ -e $authorities ]]; then install -D "$authorities" "$root$authorities"; fi
  no_services "$root"
  install -D /dev/stdin "$root/etc/postgresql-common/createcluster.conf" <<<'create_main_cluster = false'
  in_root sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-18 postgresql-18-documentdb'
  touch "$root.done"
}

start() {
  CGO_ENABLED=0 GOBIN=$dir/bin go install "$ferretdb" & local building=$!
  install_packages
  build_root
  wait "$building"
  rm -rf "$root/srv/data" && install -d -m 777 "$root/srv"
  as_postgres initdb -D /srv/data -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  printf '%s\n' "shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'" "cron.database_name = 'postgres'" \
    'cron.use_background_workers = on' 'max_worker_processes = 16' 'max_connections = 400' 'shared_buffers = 256MB' \
    'fsync = off' 'full_page_writes = off' 'deadlock_timeout = 200ms' "unix_socket_directories = ''" "port = $postgres_port" \
    'log_min_messages = warning' >>"$root/srv/data/postgresql.conf"
  as_postgres pg_ctl -D /srv/data -l /srv/data/log -w -s start
  as_postgres psql -q -h 127.0.0.1 -p "$postgres_port" -c 'CREATE EXTENSION documentdb CASCADE' postgres
  redis-server --bind 127.0.0.1 --port "$redis_port" --save '' --daemonize yes --pidfile "$dir/redis.pid" --dir "$dir" >/dev/null
  DO_NOT_TRACK=1 setsid ferretdb --postgresql-url="postgres://postgres@127.0.0.1:$postgres_port/postgres" --no-auth \
    --listen-addr="127.0.0.1:$mongodb_port" --state-dir="$dir" --debug-addr=- --log-level=error >"$dir/ferretdb.log" 2>&1 </dev/null &
  echo $! >"$dir/ferretdb.pid"
  until (: >"/dev/tcp/127.0.0.1/$mongodb_port") 2>/dev/null; do kill -0 $! && sleep 0.1; done
}

stop() {
  kill "$(<"$dir/ferretdb.pid")" "$(<"$dir/redis.pid")" || true
  as_postgres pg_ctl -D /srv/data -m immediate stop
}

case ${1:-} in
  start)
    start >&2 # the servers must not keep the caller's pipe open
    echo "export MONGODB_URI=mongodb://127.0.0.1:$mongodb_port/test REDIS_URL=redis://127.0.0.1:$redis_port"
    ;;
  stop) stop ;;
  *) sed -n '2,6s/^# //p' "$0" && exit 1 ;;
esac
