import { expect } from 'chai';
import { type JobKills, openJobKills, type Strike } from '../crash/job-kills.ts';
import { jobCases } from '../worker/job-cases.ts';

describe('kill -9 of a worker in the middle of jobs of every kind at once', () => {
  let kills: JobKills;

  before(async function () {
    this.timeout(60_000);
    kills = await openJobKills();
  });

  after(() => kills?.close());

  for (const [what, commands, verdict] of [
    ['the first command was carried out', [1, 1, 1, 1, 1, 1, 1, 1], 'hold the answer'],
    ['before one in the middle', [5, 2, 2, 5, 4, 2, 2, 6], 'hold'],
    ['when one further on was carried out', [8, 3, 4, 8, 6, 2, 3, 12], 'hold the answer'],
  ] as const) {
    it(`${what}: the next worker does each job's work, once`, async function () {
      this.timeout(60_000);
      const strikes = jobCases.map(
        (each, i): Strike => ({ each, server: 'mongodb', command: commands[i] ?? 0, verdict }),
      );
      expect(await kills.kill(strikes)).to.have.members(strikes);
    });
  }

  it('Redis has closed a batch of views and its answer was lost: none counts twice', async function () {
    this.timeout(60_000);
    const each = jobCases.filter(({ job }) => job === 'views.aggregate');
    const strikes = each.map(
      (each): Strike => ({ each, server: 'redis', command: 4, verdict: 'hold the answer' }),
    );
    expect(await kills.kill(strikes)).to.have.lengthOf(1);
  });
});
