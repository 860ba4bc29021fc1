import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createThreadPool } from '../../shared/adapters/threads/thread-pool.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** Holds its thread for so long, or takes all the memory that it is given. */
const thread = `
export function work({ ms, greedy }) {
  const until = Date.now() + ms;
  const taken = [];
  while (Date.now() < until) if (greedy) taken.push(new Array(1000).fill(Date.now()));
  return ms;
}`;

function openPool() {
  const file = join(makeTempDir(), 'thread.mjs');
  writeFileSync(file, thread);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  return createThreadPool({ file: pathToFileURL(file), name: 'work', maxThreads: 1, maxHeapMb: 16, onError });
}

describe('A pool of threads', () => {
  it('goes on with those in line when the thread at their head is ended', async () => {
    const pool = openPool();
    const stop = new AbortController();
    const ended = pool.run({ ms: 60_000 }, { signal: stop.signal }).catch((error: unknown) => error);
    const next = pool.run({ ms: 1 });
    setTimeout(() => stop.abort(), 200);
    expect(await ended).to.be.an('error');
    expect(await next).to.equal(1);
    await pool.close();
  });

  it('goes on with those in line when the thread at their head has run out of memory', async () => {
    const pool = openPool();
    const greedy = pool.run({ ms: 60_000, greedy: true }).catch((error: unknown) => error);
    const next = pool.run({ ms: 1 });
    expect(await greedy).to.be.an('error');
    expect(await next).to.equal(1);
    await pool.close();
  });
});
