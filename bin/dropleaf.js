#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 node
// The thresholds let glibc return memory to the system, also that of a large document; a process cannot set them for itself.
// Where env lacks -S, as in Alpine's BusyBox: "node bin/dropleaf.js", without them.
// Plain JavaScript that an old Node can parse too, so that it can say which version is needed.
import { existsSync } from 'node:fs';

const cli = new URL('../dist/bin/cli.js', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
} else if (!existsSync(cli)) {
  fail('the program is not built: run "npm ci", then "npm run build"');
} else {
  await import(cli.href);
}

function fail(message) {
  process.stderr.write(`dropleaf: ${message}\n`);
  process.exitCode = 1;
}
