#!/bin/sh
# Runs a command of bin/dropleaf.js beside the units of systemd/: as the service's user, in its folder, with its settings.
#   cp deploy/systemd-command.sh /usr/local/sbin/dropleaf-command
# usage, as root: dropleaf-command admin reports
set -eu
# systemd replaces $NAME in arguments, and $$ by one dollar.
for word; do
  shift
  set -- "$@" "$(printf '%s\n' "$word" | sed 's/\$/$$/g')"
done
exec systemd-run --quiet --pipe --wait --collect --uid=dropleaf --working-directory=/opt/dropleaf \
  --setenv=NODE_ENV=production --setenv=DATA_DIR=/var/lib/dropleaf --property=EnvironmentFile=-/etc/dropleaf/env \
  --property=UMask=0077 /opt/dropleaf/bin/dropleaf.js "$@"
