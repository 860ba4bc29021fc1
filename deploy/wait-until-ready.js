#!/usr/bin/env node
// ExecStartPost of the units in systemd/: ends when /readyz of HOST and PORT answers 200. Fails if the process ($MAINPID, from
// systemd) has ended. A process that answers, but is not ready in time, is left running: a restart would not help.
// usage: wait-until-ready.js SECONDS
import { setTimeout as sleep } from 'node:timers/promises';

const { HOST = '', PORT = '', MAINPID = '' } = process.env;
const host = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST.trim()] ?? HOST.trim();
const address = `http://${host.includes(':') ? `[${host}]` : host}:${PORT.trim() || 3000}/readyz`;
const unreadyMs = 1000 * Number(process.argv[2] ?? 60);
let firstAnswerAt = null;

for (;;) {
  const answer = await ask();
  if (answer?.status === 200) process.exit(0);
  if (!isRunning()) {
    process.stderr.write('the process has ended\n');
    process.exit(1);
  }
  if (answer !== null) {
    firstAnswerAt ??= performance.now();
    if (performance.now() - firstAnswerAt >= unreadyMs) {
      process.stderr.write(`not ready after ${unreadyMs / 1000} s: ${answer.text}\n`);
      process.exit(0);
    }
  }
  await sleep(250);
}

/** null: nobody answers yet. */
async function ask() {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000) });
    return { status: response.status, text: (await response.text()).slice(0, 1_000) };
  } catch {
    return null;
  }
}

function isRunning() {
  if (MAINPID === '') return true;
  try {
    return process.kill(Number(MAINPID), 0);
  } catch {
    return false;
  }
}
