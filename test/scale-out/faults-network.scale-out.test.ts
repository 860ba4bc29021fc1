import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from '../support/client.ts';
import { findBroken, type Server } from './fault-report.ts';
import { type FaultScene, openFaultScene } from './fault-scene.ts';
import { faults } from './faults.ts';

const beforeMs = 600;
const calmMs = 1_000;
/** Longer than any wait for a server that may be there. */
const silenceMs = 6_000;
const otherMs = 2_000;
/** Counted views come to their drops by a job each 5 s. */
const countedWithinMs = 30_000;

const promises: Readonly<Record<Server, string>> = {
  MongoDB: 'everything is answered within 5 s, if only by 503',
  Redis: 'everything is answered within 5 s, and nothing by 503',
};

/** Short versions of what bench/faults.ts does at length. */
describe('Faults of the network between two web processes, a worker, and their servers', function () {
  this.timeout(90_000);
  let scene: FaultScene;

  before(async () => {
    // Jobs that a worker lost with Redis are retried soon.
    const settings = { JOB_LOCK_SECONDS: '3', JOB_STALL_SECONDS: '2', SIGN_IN_STARTS_PER_MINUTE: '5' };
    scene = await openFaultScene(settings);
  });

  after(() => scene?.close());

  for (const server of ['MongoDB', 'Redis'] as const) {
    describe(`${server}: ${promises[server]}, and all is well soon after`, () => {
      for (const fault of Object.values(faults)) {
        it(fault.name, async () => {
          const faultMs = fault === faults.silence ? silenceMs : otherMs;
          const report = await scene.run(fault, server, { beforeMs, faultMs, calmMs });
          expect(report.writes, 'writes').to.be.above(0);
          expect(report.views, 'views').to.be.above(0);
          // For the request, and for the timer that it waits for, on a machine that runs other tests beside this.
          const forgivenMs = 2 * report.idleMs;
          expect(findBroken(report, server, forgivenMs), JSON.stringify(report)).to.deep.equal([]);
        });
      }
    });
  }

  describe('while Redis is unreachable', () => {
    it('each process keeps limits for itself', async () => {
      const { proxies, webs } = scene;
      await untilMinuteHasRoom();
      proxies.Redis.refuse();
      try {
        for (const { url } of webs) {
          expect(await startSignIns(url, 6)).to.deep.equal([200, 200, 200, 200, 200, 429]);
        }
      } finally {
        proxies.Redis.restore();
      }
    });
  });

  // In a suite of its own: mocha runs the tests of a suite before the suites in it.
  describe('after all faults', () => {
    it('no acknowledged write is lost, and each view that was answered is counted once', async () => {
      expect(await scene.findLost()).to.deep.equal([]);
      expect(await scene.findMiscounted(countedWithinMs)).to.deep.equal([]);
    });

    it('no process has ended or logged an unexpected error', () => {
      expect(scene.findComplaints()).to.deep.equal([]);
    });
  });
});

/** @returns the statuses */
async function startSignIns(url: string, times: number): Promise<number[]> {
  const client = createClient(url);
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) {
    statuses.push((await client.request('POST', '/api/auth/start', { body: {} })).status);
  }
  client.close();
  return statuses;
}

/** The window of sign-in starts is the clock's minute: what is counted at once is to fall into one. */
async function untilMinuteHasRoom(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 5_000) await pause(leftMs + 10);
}
