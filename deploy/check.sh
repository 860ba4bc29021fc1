#!/usr/bin/env bash
# Checks the files of deploy/, the Dockerfile and the compose files with the programs that this machine has, and says what it
# did not check and why. Fails only if a file has a fault. Nothing is downloaded, and it takes a few seconds. It shows that
# the programs accept the files; test/edge runs nginx.conf and varnish.vcl in front of a service.
#   --image   also builds the image and runs it as operators do; needs Docker or podman ($ENGINE) and a registry
# usage: deploy/check.sh [--image]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export PATH="$PATH:/usr/sbin:/sbin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ok=0 faults=0 missed=0
max_exposure=2.0 max_image_mb=150

# check TITLE COMMAND…: the command's output is printed only if it fails
check() {
  local title=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    printf 'ok           %s\n' "$title" && ok=$((ok + 1))
  else
    printf 'FAULT        %s\n' "$title" && sed 's/^/             /' "$work/output" && faults=$((faults + 1))
  fi
}
skip() { printf 'not checked  %s: %s\n' "$1" "$2" && missed=$((missed + 1)); }
has() { command -v "$1" >/dev/null; }
# check_with PROGRAM TITLE COMMAND…: only if the program is there
check_with() {
  local program=$1 title=$2
  shift 2
  if has "$program"; then check "$title ($program)" "$@"; else skip "$title" "$program is not in PATH"; fi
}

parse_nginx() { # below a folder of this user, without the port 80
  sed -e "s|/var/cache/nginx|$work|" -e "s|listen 80;|listen unix:$work/nginx.sock;|" deploy/nginx.conf >"$work/dropleaf.conf"
  printf '%s\n' "pid $work/nginx.pid;" 'events {}' "http { include $work/dropleaf.conf; }" >"$work/nginx.conf"
  nginx -t -q -p "$work" -e "$work/nginx.log" -c "$work/nginx.conf"
}

verify_unit() { # it warns where it should fail
  sed 's|^\(ExecStart[A-Za-z]*\)=/opt/dropleaf/[^ ]*|\1=/bin/true|' "$1" >"$work/$(basename "$1")"
  systemd-analyze verify "$work/$(basename "$1")" 2>&1 | tee "$work/verify" && [[ ! -s $work/verify ]]
}

is_confined() {
  local exposure
  exposure=$(systemd-analyze security --offline=true --no-pager "$1" | tee "$work/security" | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
  awk "BEGIN { exit !(\"$exposure\" != \"\" && $exposure <= $max_exposure) }" || { grep -v '✓' "$work/security" && return 1; }
}

sandbox_of() { sed -n '/^# The process may/,/^UMask=/p' "$1"; }
has_same_sandbox() {
  local unit
  for unit in deploy/systemd/*.service; do
    diff <(sandbox_of deploy/systemd/dropleaf.service) <(sandbox_of "$unit") || { echo "$unit differs" && return 1; }
  done
}

is_limited() { # its memory; and /opt/dropleaf has what the unit runs
  grep -q '^MemoryMax=' "$1" || { echo 'no MemoryMax' && return 1; }
  local file
  for file in $(sed -n 's|^ExecStart[A-Za-z]*=/opt/dropleaf/\([^ ]*\).*|\1|p' "$1"); do
    [[ -x $file ]] || { echo "$file is not there, or not executable" && return 1; }
  done
}

is_pinned() { # each image that is not built here, by version and digest, and the same everywhere
  local images pinned='^[a-z./]+:[0-9]+\.[0-9]+\.[0-9]+[a-z-]*@sha256:[0-9a-f]{64}$'
  images=$(sed -n -e 's/^ *image: *//p' -e 's/^ARG NODE_IMAGE=//p' "$@" | grep -vx dropleaf | sort -u)
  [[ -n $images ]] || { echo 'no image is named' && return 1; }
  ! grep -Ev "$pinned" <<<"$images" || return 1
  [[ -z $(sed 's/:.*//' <<<"$images" | uniq -d) ]] || { echo "$images" && return 1; }
}

starts_redis() { # as compose.yaml says, at a socket: with a password, which is not in its arguments
  local socket=$work/redis.sock pid result=1
  sed -n '/exec redis-server/,/^ *END$/p' compose.yaml | sed -e 's/^ *//' -e 's/\$\$/$/g' \
    -e "s| <<END| --port 0 --dir $work --unixsocket $socket <<END|" >"$work/redis.sh"
  REDISCLI_AUTH=secret-of-check sh -eu "$work/redis.sh" &
  pid=$!
  for _ in {1..50}; do [[ -S $socket ]] && break || sleep 0.1; done
  if [[ $(redis-cli -s "$socket" ping 2>&1) == NOAUTH* ]] &&
    [[ $(REDISCLI_AUTH=secret-of-check redis-cli -s "$socket" ping) == PONG ]] &&
    ! tr '\0' ' ' <"/proc/$pid/cmdline" | grep secret; then result=0; fi
  kill "$pid" && wait "$pid"
  return "$result"
}

check_expressions() { # each one as a rule, with a value for each of the dashboard's variables
  node -e '
    const { panels } = JSON.parse(fs.readFileSync("deploy/grafana.json"));
    const of = (expr) => expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", ".*");
    const rules = panels.flatMap(({ id, targets = [] }) =>
      targets.map(({ refId, expr }) => ({ record: `panel${id}_${refId}`, expr: of(expr) })));
    console.log(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));' >"$work/dashboard.json"
  promtool check rules "$work/dashboard.json"
}

is_hardened() { # compose.yaml; the image of the proxy gets its port below 1024 by a capability of the file
  docker compose --env-file /dev/null -f compose.yaml config --format json >"$work/compose.json" && node -e '
    for (const [name, { read_only, cap_drop, mem_limit, security_opt = [] }] of Object.entries(JSON.parse(fs.readFileSync(process.argv[1])).services))
      if (!read_only || cap_drop?.[0] !== "ALL" || (name !== "proxy" && security_opt[0] !== "no-new-privileges:true"))
        throw new Error(`${name} is not read-only, or has capabilities, or may get new privileges`);
      else if (!mem_limit) throw new Error(`${name} has no mem_limit`)' "$work/compose.json"
}

check_image() {
  local engine=${ENGINE:-} name=dropleaf-check
  if [[ -z $engine ]]; then engine=$(command -v docker || command -v podman); fi
  if [[ -z $engine ]] || ! "$engine" info &>/dev/null; then
    skip 'Dockerfile: build and run' 'neither Docker nor podman works here'
    return
  fi
  local format=(--format docker) # otherwise podman drops the health check
  "$engine" build --help 2>&1 | grep -q -- --format || format=()
  check 'Dockerfile: build' "$engine" build "${format[@]}" -t "$name" .
  check "image: at most $max_image_mb MB compressed" is_small "$engine" "$name"
  check 'image: publishes a page and draws its card, read-only and without rights, and ends on SIGTERM' \
    deploy/try-image.sh "$engine" "$name"
}

is_small() {
  local bytes
  bytes=$("$1" save "$2" | gzip -6 | wc -c)
  echo "$((bytes / 1000000)) MB"
  ((bytes <= max_image_mb * 1000000))
}

for script in deploy/*.sh; do
  check "$script: syntax" bash -n "$script"
  check_with shellcheck "$script" shellcheck --severity=warning "$script"
done

check_with nginx deploy/nginx.conf parse_nginx
check_with varnishd deploy/varnish.vcl varnishd -C -n "$work/varnish" -f "$PWD/deploy/varnish.vcl"
check_with caddy deploy/Caddyfile env HOME="$work" DOMAIN=drops.example caddy validate --adapter caddyfile --config deploy/Caddyfile

for unit in deploy/systemd/*; do
  check_with systemd-analyze "$unit" verify_unit "$unit"
  [[ $unit == *.service ]] || continue
  check "$unit: its memory is limited, and its programs are there" is_limited "$unit"
  check_with systemd-analyze "$unit: exposure at most $max_exposure" is_confined "$unit"
done
check 'deploy/systemd: every unit has the same sandbox' has_same_sandbox

check_with promtool deploy/prometheus/alerts.yml promtool check rules deploy/prometheus/alerts.yml
check_with promtool deploy/prometheus/alerts.test.yml promtool test rules deploy/prometheus/alerts.test.yml
check_with promtool deploy/prometheus/prometheus.yml promtool check config deploy/prometheus/prometheus.yml
check deploy/grafana.json node -e 'JSON.parse(fs.readFileSync("deploy/grafana.json"))'
check_with promtool 'deploy/grafana.json: expressions' check_expressions
check_with litestream deploy/litestream.yml env DROPLEAF_DATABASE="$work/none.sqlite" DROPLEAF_REPLICA="file://$work/replica" \
  litestream databases -config deploy/litestream.yml

check_with hadolint Dockerfile hadolint Dockerfile
check 'Dockerfile, compose files: images are pinned by digest' is_pinned Dockerfile compose.yaml compose.dev.yaml deploy/compose.*.yaml
check_with redis-server 'compose.yaml: Redis has its password, not in its arguments' starts_redis
export DOMAIN=drops.example MONGODB_PASSWORD=a REDIS_PASSWORD=b BASE_URL=https://drops.example
for file in compose.yaml compose.dev.yaml deploy/compose.*.yaml; do
  if docker compose version &>/dev/null; then
    check "$file (docker compose)" docker compose --env-file /dev/null -f "$file" config --quiet
    [[ $file != compose.yaml ]] || check "$file: every service is read-only and without rights" is_hardened
  else
    skip "$file" 'docker compose is not installed'
  fi
done

if [[ ${1:-} == --image ]]; then check_image; else skip 'Dockerfile: build and run' 'only with --image'; fi

printf '%d ok, %d faults, %d not checked\n' "$ok" "$faults" "$missed"
((faults == 0))
