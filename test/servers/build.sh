#!/bin/sh
# Builds one part of the test servers in a folder, unless it is there. `PART.done` is written last, so what was
# interrupted is done anew; one process builds a part at a time. Nothing but debootstrap is installed into the system.
#   root       a Debian tree with PostgreSQL and DocumentDB, Redis and nginx, and an empty cluster to copy;
#              wants root and private mount and process namespaces, whose end is the end of all mounts
#   ferretdb   speaks MongoDB's protocol in front of DocumentDB
#   toxiproxy  a proxy whose faults tests ask for
#   varnish    of the machine's own Debian, unpacked beside it; it compiles its configuration with the machine's `cc`
# usage: build.sh FOLDER PART
set -eu
dir=$1 part=$2
export PATH="$PATH:/usr/sbin:/sbin"
suite=forky
ferretdb=github.com/FerretDB/FerretDB/v2/cmd/ferretdb@v2.7.0
toxiproxy=github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0
pg=/usr/lib/postgresql/18/bin

build_root() {
  root=$dir/root
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C
  if ! command -v debootstrap >/dev/null; then
    apt-get update
    apt-get install -y --no-install-recommends debootstrap
  fi
  rm -rf --one-file-system "$root"
  # The mirror is reached as this machine's apt reaches it.
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  if [ -n "${http_proxy:-}" ]; then export http_proxy; fi
  mirror=$(find_mirror)
  debootstrap --variant=minbase "$suite" "$root" "$mirror" /usr/share/debootstrap/scripts/sid
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump | grep '^Acquire::' | grep -v '::IndexTargets' >"$root/etc/apt/apt.conf.d/90machine"
  if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  fi
  # Its packages start nothing and make no cluster.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  mkdir -p "$root/etc/postgresql-common"
  echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.conf"

  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  chroot "$root" apt-get update
  chroot "$root" apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io \
    -o Dpkg::Options::=--force-confold postgresql-18 postgresql-18-documentdb redis-server nginx-light
  chroot "$root" apt-get clean
  rm -rf "$root"/var/lib/apt/lists/*
  make_cluster
  find "$dir/.." -mindepth 1 -maxdepth 1 -type d -mtime +30 -exec rm -rf --one-file-system {} + # of older recipes
  wrap redis-server usr/bin/redis-server
  wrap nginx usr/sbin/nginx
}

# The first of the machine's own mirrors, in whatever form they are written, that is Debian's and has the suite.
find_mirror() {
  for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | sort -u); do
    if wget -q -T 20 -t 3 -O- "${uri%/}/dists/$suite/InRelease" | grep -q '^Origin: Debian$'; then
      echo "${uri%/}"
      return
    fi
  done
  echo "no mirror of the machine's apt sources has Debian's $suite" >&2
  return 1
}

# All data is thrown away after a run, so nothing waits for a disk. DocumentDB's own jobs (indexes built in the
# background, TTL) run inside the server, because as connections they would keep the port they were born with.
make_cluster() {
  mkdir -p "$root/srv/template" "$root/srv/data"
  chroot "$root" chown postgres: /srv/template
  as_postgres "$pg/initdb" -D /srv/template -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync
  cat >>"$root/srv/template/postgresql.conf" <<CONF
shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'
cron.database_name = 'postgres'
cron.use_background_workers = on
cron.log_statement = off
cron.log_run = off
max_worker_processes = 16
log_min_messages = warning
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 400
shared_buffers = 256MB
max_wal_size = 256MB
fsync = off
synchronous_commit = off
full_page_writes = off
CONF
  as_postgres "$pg/pg_ctl" -D /srv/template -o "-c listen_addresses= -c unix_socket_directories=/tmp" -w start
  as_postgres "$pg/psql" -h /tmp -U postgres -c 'CREATE EXTENSION documentdb CASCADE' postgres
  as_postgres "$pg/pg_ctl" -D /srv/template -w -m fast stop
}

as_postgres() {
  chroot --userspec="$(stat -c %u:%g "$root/srv/template")" --groups= "$root" \
    /usr/bin/env -i HOME=/var/lib/postgresql PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"
}

# A program of the tree that runs outside of it, on the tree's own libraries.
wrap() {
  loader=$(cd "$root" && ls usr/lib/*-linux-gnu*/ld-linux*.so.*)
  cat >"$dir/bin/$1" <<WRAPPER
#!/bin/sh
root=\$(dirname "\$(readlink -f "\$0")")/../root
exec "\$root/$loader" --library-path "\$root/${loader%/*}" --argv0 "$1" "\$root/$2" "\$@"
WRAPPER
  chmod +x "$dir/bin/$1"
}

build_ferretdb() {
  go_install "$ferretdb" ferretdb
}

build_toxiproxy() {
  go_install "$toxiproxy" toxiproxy-server
}

build_varnish() {
  if ! command -v cc >/dev/null; then
    echo 'varnishd compiles its configuration, and there is no "cc" in PATH'
    exit 1
  fi
  tree=$dir/varnish
  packages=$(list_varnish) || { apt-get update && packages=$(list_varnish); }
  rm -rf "$tree" "$tree.debs"
  mkdir "$tree" "$tree.debs"
  (cd "$tree.debs" && apt-get download $packages)
  for package in "$tree.debs"/*.deb; do dpkg-deb -x "$package" "$tree"; done
  rm -rf "$tree.debs"
  libraries=$(cd "$tree" && dirname usr/lib/*/varnish)
  cat >"$dir/bin/varnishd" <<WRAPPER
#!/bin/sh
tree=\$(dirname "\$(readlink -f "\$0")")/../varnish
export LD_LIBRARY_PATH="\$tree/$libraries:\$tree/$libraries/varnish"
exec "\$tree/usr/sbin/varnishd" -p vmod_path="\$tree/$libraries/varnish/vmods" "\$@"
WRAPPER
  chmod +x "$dir/bin/varnishd"
}

# It, and what of its needs the machine does not have.
list_varnish() {
  apt-get -s --no-install-recommends install varnish | sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep .
}

go_install() {
  if ! command -v go >/dev/null; then
    echo "Go is needed to build $2, and there is no \"go\" in PATH"
    exit 1
  fi
  rm -rf "$dir/$part.tmp"
  for _ in 1 2 3; do # a download may fail where many are at work
    if CGO_ENABLED=0 GOBIN="$dir/$part.tmp" go install "$1"; then break; fi
  done
  mv "$dir/$part.tmp"/* "$dir/bin/$2"
  rmdir "$dir/$part.tmp"
}

mkdir -p "$dir/bin"
exec 9>"$dir/$part.lock"
if command -v flock >/dev/null; then flock 9; fi
if [ -e "$dir/$part.done" ]; then exit 0; fi
exec >"$dir/$part.log" 2>&1
"build_$part"
: >"$dir/$part.done"
