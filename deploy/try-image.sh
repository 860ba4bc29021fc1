#!/usr/bin/env bash
# Runs an image of Dropleaf as operators should: not as root, on a read-only file system, without rights and, here, without
# a network. Publishes a page, draws its card (fonts and native packages are there), and stops.
# usage: deploy/try-image.sh ENGINE IMAGE     ENGINE: docker or podman
set -euo pipefail
engine=$1 image=$2 name=dropleaf-try-$$
trap '"$engine" rm --force "$name" >/dev/null; "$engine" volume rm --force "$name" >/dev/null' EXIT

"$engine" run --detach --name "$name" --network none --read-only --tmpfs /tmp --volume "$name:/data" \
  --cap-drop all --security-opt no-new-privileges "$image" >/dev/null
fail() { echo "$1" && "$engine" logs "$name" && exit 1; }

health='fetch("http://127.0.0.1:3000/healthz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'
for _ in {1..60}; do
  if "$engine" exec "$name" node -e "$health"; then ready=yes && break; fi
  sleep 0.5
done
[[ ${ready:-} == yes ]] || fail 'it does not start'
[[ $("$engine" exec "$name" id -u) == 1000 ]] || fail 'it runs as another user than 1000'

token=$("$engine" exec "$name" bin/dropleaf.js token --user try)
"$engine" exec --env "TOKEN=$token" "$name" node --input-type=module -e '
  import { setTimeout as sleep } from "node:timers/promises";
  const base = "http://127.0.0.1:3000";
  const title = "Grüße 你好 안녕 שלום مرحبا"; // each script has its own font file
  const posted = await fetch(`${base}/api/drops`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ title, html: "<p>Hello", context: "**Why**" }),
  });
  if (posted.status !== 201) throw new Error(`POST answers ${posted.status}`);
  const page = `${base}/p/${(await posted.json()).slug}`;
  const parts = {
    page: async () => (await (await fetch(`${page}/raw`)).text()).includes("<p>Hello"),
    context: async () => (await (await fetch(page)).text()).includes("<strong>Why</strong>"),
    // A generic card, sent while this one is not drawn, is not for caches.
    card: async () => /s-maxage/.test((await fetch(`${page}/card.png`)).headers.get("cache-control")),
  };
  for (const [name, isThere] of Object.entries(parts)) {
    const deadline = Date.now() + 20_000; // a busy machine draws late
    while (!(await isThere())) {
      if (Date.now() > deadline) throw new Error(`the ${name} is missing`);
      await sleep(200);
    }
  }
'
"$engine" stop --time 30 "$name" >/dev/null
code=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
[[ $code == 0 ]] || fail "it ends with exit code $code on SIGTERM"
