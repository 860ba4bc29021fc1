import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createThreadPool } from '../../shared/threads/thread-pool.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** Blocks its thread for `ms`, or until its memory is full, or sleeps so long, which takes no CPU. */
const thread = `
import { parentPort } from 'node:worker_threads';
export function work({ id, ms, greedy, asleep }) {
  parentPort.postMessage(id);
  if (asleep) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const until = Date.now() + (asleep ? 0 : ms);
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
  for (const [reason, task, options] of [
    ['at its timeout', { ms: 60_000 }, { timeoutMs: 200 }],
    ['out of memory', { ms: 60_000, greedy: true }, {}],
  ] as const) {
    it(`runs the tasks that wait when the running thread is ended ${reason}`, async () => {
      const pool = openPool();
      const ended = pool.run(task, options).catch((error: unknown) => error);
      const next = pool.run({ ms: 1 });
      expect(await ended).to.be.an('error');
      expect(await next).to.equal(1);
      await pool.close();
    });
  }

  it('gives a task without CPU up to ten times its timeout', async () => {
    const pool = openPool();
    const asleep = true;
    const sleep = (ms: number) => pool.run({ ms, asleep }, { timeoutMs: ms / 3 }).catch(() => 'ended');
    let outcome = await sleep(600);
    // A busy machine may take longer than ten times a short timeout, or this process use as much CPU for other work.
    for (let ms = 2_400; ms <= 9_600 && outcome === 'ended'; ms *= 2) outcome = await sleep(ms);
    expect(outcome).to.be.a('number');
    const error = await pool.run({ ms: 60_000, asleep }, { timeoutMs: 50 }).catch((error: unknown) => error);
    expect(error).to.have.property('name', 'AbortError');
    await pool.close();
  });

  it('lets a task run on after its timeout if the caller says so', async () => {
    const pool = openPool();
    expect(await pool.run({ ms: 300 }, { timeoutMs: 100, mayRunOn: () => true })).to.equal(300);
    await pool.close();
  });

  it('finishes all tasks before it closes, and closes if it was never used', async () => {
    const pool = openPool();
    const results = Promise.all([20, 10, 1].map((ms) => pool.run({ ms })));
    await pool.close();
    expect(await results).to.deep.equal([20, 10, 1]);
    await openPool().close();
  });
});
