import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { SideEffects } from '../../shared/drops/side-effects.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog, createThrottledRecordingLog } from '../worker/recording-log.ts';

const changes = { publish: async () => undefined };
const drop = { id: 'd1', slug: 'abc' };

describe('The jobs and purges after a change', () => {
  it('fail no request while the job queue is unavailable, and log that once a minute, with a count', async () => {
    const clock = createTestClock();
    const log = createThrottledRecordingLog(clock);
    const enqueue = () => Promise.reject(unavailable('The job queue is unavailable.'));
    const sideEffects = new SideEffects({ jobs: { enqueue }, purger: null, changes, log });
    for (let n = 0; n < 500; n++) sideEffects.enqueueVersionJob('drop', 'version');
    await new Promise(setImmediate);
    clock.advance(60_000);
    await sideEffects.afterRemove(drop);
    await new Promise(setImmediate);
    expect(log.lines.map(({ fields }) => [fields.count, fields.cause])).to.deep.equal([
      [undefined, 'The job queue is unavailable'],
      [500, 'The job queue is unavailable'],
    ]);
  });

  it('purge at once after a new version, without waiting, with at most 100 attempts at a time', async () => {
    const enqueued: string[] = [];
    let attempts = 0;
    const jobs = { enqueue: async (name: string) => void enqueued.push(name) };
    const purge = () => {
      attempts += 1;
      return new Promise<void>(() => undefined); // it does not answer
    };
    const sideEffects = new SideEffects({ jobs, purger: { purge }, changes, log: createRecordingLog() });
    for (let n = 0; n < 150; n++) await sideEffects.afterNewVersion(drop, 'version');
    expect([enqueued.length, attempts], 'each with its job').to.deep.equal([300, 100]);
  });

  it('wait for one purge after a page was hidden, even if the job queue is unavailable', async () => {
    const purged: string[] = [];
    const jobs = { enqueue: () => Promise.reject(unavailable('The job queue is unavailable.')) };
    const purger = { purge: async (tag: string) => void purged.push(tag) };
    const sideEffects = new SideEffects({ jobs, purger, changes, log: createRecordingLog() });
    await sideEffects.afterHide(drop);
    await sideEffects.afterRemove({ id: 'd2', slug: 'def' });
    expect(purged).to.deep.equal(['drop-d1', 'drop-d2']);
  });

  it('begin when no process has the page as it was in memory', async () => {
    const steps: string[] = [];
    let confirm = (): void => undefined;
    const sideEffects = new SideEffects({
      jobs: { enqueue: async (name) => void steps.push(name) },
      purger: { purge: async (tag) => void steps.push(tag) },
      changes: {
        publish: (slug) => {
          steps.push(slug);
          return new Promise((resolve) => {
            confirm = resolve;
          });
        },
      },
      log: createRecordingLog(),
    });
    const kinds: readonly (readonly [string, () => Promise<unknown>, string[]])[] = [
      ['a new version', () => sideEffects.afterNewVersion(drop, 'v'), ['version.render']],
      ['changed details', () => sideEffects.afterChange(drop), []],
      ['a passcode', () => sideEffects.afterHide(drop), []],
      ['a removal', () => sideEffects.afterRemove(drop), ['drop.remove']],
      ['a takedown', () => sideEffects.afterOperatorChange(drop), []],
    ];
    for (const [name, follow, before] of kinds) {
      steps.length = 0;
      const followed = follow();
      await new Promise(setImmediate);
      expect(steps, name).to.deep.equal([...before, 'abc']);
      confirm();
      await followed;
      expect(steps.slice(before.length + 1), name).to.include('edge.purge');
    }
  });
});
