import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { createFollowUps } from '../../shared/services/follow-ups.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('The jobs and purges after a change', () => {
  it('fail no request while the job queue is unavailable, and log that once a minute, with a count', async () => {
    const clock = createTestClock();
    const log = createRecordingLog();
    const enqueue = () => Promise.reject(unavailable('The job queue is unavailable.'));
    const followUps = createFollowUps({ jobs: { enqueue }, purger: null, clock, log });
    for (let n = 0; n < 500; n++) followUps.created('drop', 'version');
    await new Promise(setImmediate);
    clock.advance(60_000);
    await followUps.removed('drop');
    await new Promise(setImmediate);
    expect(log.lines.map(({ level, fields }) => [level, fields.count, String(fields.err)])).to.deep.equal([
      ['warn', 1, 'DropError: The job queue is unavailable.'],
      ['warn', 500, 'DropError: The job queue is unavailable.'],
    ]);
  });

  it('purge at once after a new version, without waiting, with at most 100 attempts at a time', async () => {
    let enqueued = 0;
    let attempts = 0;
    const followUps = createFollowUps({
      jobs: {
        async enqueue() {
          enqueued += 1;
        },
      },
      purger: {
        purge() {
          attempts += 1;
          return new Promise(() => undefined); // it does not answer
        },
      },
      clock: createTestClock(),
      log: createRecordingLog(),
    });
    for (let n = 0; n < 150; n++) followUps.versionAdded('drop', 'version');
    expect([enqueued, attempts], 'each with its job').to.deep.equal([300, 100]);
  });

  it('wait for one purge after a page was hidden, even if the job queue is unavailable', async () => {
    const purged: string[] = [];
    const log = createRecordingLog();
    const followUps = createFollowUps({
      jobs: { enqueue: () => Promise.reject(unavailable('The job queue is unavailable.')) },
      purger: {
        async purge(tag) {
          purged.push(tag);
        },
      },
      clock: createTestClock(),
      log,
    });
    await followUps.hidden('d1');
    await followUps.removed('d2');
    expect(purged).to.deep.equal(['drop-d1', 'drop-d2']);
  });
});
