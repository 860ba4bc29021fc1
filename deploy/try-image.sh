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
  const base = "http://127.0.0.1:3000";
  const expect = (what, isTrue) => { if (!isTrue) throw new Error(what); };
  const title = "Grüße 你好 안녕 שלום مرحبا"; // each script has its own font file
  const posted = await fetch(`${base}/api/drops`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ title, html: "<p>Hello", context: "**Why**" }),
  });
  expect(`POST answers ${posted.status}`, posted.status === 201);
  const { slug } = await posted.json();
  const raw = await (await fetch(`${base}/p/${slug}/raw`)).text();
  expect(`the raw page is ${raw}`, raw.includes("<p>Hello"));
  const viewer = await (await fetch(`${base}/p/${slug}`)).text();
  expect("the viewer shows no context", viewer.includes("<strong>Why</strong>"));
  const [, card] = /og:image" content="[^"]*(\/p\/[^"]+)"/.exec(viewer);
  const picture = await fetch(base + card);
  expect(`the card answers ${picture.status}`, picture.headers.get("content-type") === "image/png");
  expect("the card is a generic one", picture.headers.get("cache-control").includes("s-maxage"));
  console.log((await picture.arrayBuffer()).byteLength);
'
"$engine" stop --time 30 "$name" >/dev/null
code=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
[[ $code == 0 ]] || fail "it ends with exit code $code on SIGTERM"
