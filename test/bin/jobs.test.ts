import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import type { JobHandlers } from '../../shared/job-catalogue.ts';
import { createTestClock } from '../support/clock.ts';
import { until } from '../support/until.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

describe('dropleaf jobs', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  it('counts nothing where nothing waits', async () => {
    expect(await dropleaf(['jobs'], home.env)).to.deep.equal({
      stdout: 'waiting  0\nactive   0\nfailed   0\n',
      stderr: '',
      code: 0,
    });
  });

  it('tells of each failed job what it was, how often it was tried and why it failed, in one harmless line', async () => {
    await leaveFailedJob(new Error('the page \u001b[31mis\u009b gone\nand more'));
    const { stdout, stderr, code } = await dropleaf(['jobs'], home.env);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.equal(
      'waiting  0\nactive   0\nfailed   1\n\n' +
        'drop.remove {"dropId":"d-1"} after 5 attempts\n' +
        '  Error: the page \ufffd[31mis\ufffd gone\n',
    );
  });

  it('--retry puts failed jobs back in line for a service that runs beside it', async () => {
    await leaveFailedJob(new Error('a bad day'));
    const _service = await home.start();
    expect(await dropleaf(['jobs', '--retry'], home.env)).to.deep.equal({
      stdout: '1 failed job is back in line\n',
      stderr: '',
      code: 0,
    });
    const isDone = async () =>
      (await dropleaf(['jobs'], home.env)).stdout === 'waiting  0\nactive   0\nfailed   0\n';
    await until(isDone, 'the service has done the job');
    expect((await dropleaf(['jobs', '--retry'], home.env)).stdout).to.match(/^0 failed jobs /);
  });

  it('leaves jobs in line that wait: it runs none', async () => {
    const { queue, close } = openLine();
    await queue.enqueue('drop.remove', { dropId: 'd-1' });
    await close();
    for (let round = 0; round < 2; round++) {
      expect((await dropleaf(['jobs'], home.env)).stdout).to.match(/^waiting {2}1\nactive {3}0\n/);
    }
  });

  function openLine() {
    const clock = createTestClock(Date.now());
    const db = openDatabase(join(home.dir, 'dropleaf.sqlite'));
    const queue = createSqliteJobQueue({ db, clock, log, concurrency: 1, wakesItself: false });
    return { clock, queue, close: () => db.close() };
  }

  /** As a service leaves it behind in which every attempt fails that way. */
  async function leaveFailedJob(reason: Error): Promise<void> {
    const { clock, queue, close } = openLine();
    const succeed = async () => undefined;
    const handlers: JobHandlers = {
      'version.render': succeed,
      'version.squeeze': succeed,
      'edge.purge': succeed,
      'drop.remove': () => Promise.reject(reason),
      'sign-in.expire': succeed,
      'views.aggregate': succeed,
      'store.reconcile': succeed,
    };
    await queue.enqueue('drop.remove', { dropId: 'd-1' });
    queue.start(handlers);
    while ((await queue.count()).failed === 0) {
      await queue.runUntilIdle().catch(ignore); // it rejects with the planted reason
      clock.advance(60_000);
    }
    await queue.stop(0);
    await close();
  }
});

function ignore(): void {
  // What these tests plant is what they look for.
}
