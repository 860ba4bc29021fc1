import { expect } from 'chai';
import { describeViolation, findViolations } from './checker.ts';
import type { FaultName } from './faults.ts';
import { type History, kindOf } from './history.ts';
import type { EngineName } from './processes.ts';
import { runCoherence } from './run.ts';

const kinds = 'POST, PUT, PATCH, lock, unlock, takedown, restore, DELETE, DELETE v, POST v'.split(', ');
const statuses = [200, 304, 403, 404, 410];

/** Short runs with seed 1. */
export function describeCoherence(
  title: string,
  engine: EngineName,
  fault: FaultName,
  seconds: number,
): void {
  describe(title, () => {
    it('no request sees what an acknowledged change had ended', async function () {
      this.timeout(150_000);
      const run = { engine, fault, seconds, seed: 1, isSufficient };
      const { history, violations, startedAt } = await runCoherence(run);
      const lines = violations.map((violation) => describeViolation(violation, startedAt));
      expect(lines, 'seed 1').to.deep.equal([]);
      expect(kindsIn(history)).to.include.members(kinds);
      expect(statusesIn(history)).to.include.members(statuses);
    });

    it('the check fails if every process confirms notices of changes and ignores them', async function () {
      this.timeout(150_000);
      const run = { engine, fault: 'drop-notices', seconds, seed: 1, isSufficient: createFinder() } as const;
      const { violations } = await runCoherence(run);
      expect(violations).to.not.be.empty;
    });
  });
}

/** Whether there is a violation, looked for once a second: a slow machine needs longer until there is one. */
function createFinder(): (history: History) => boolean {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isFound = false;
  return (history) => {
    const now = performance.now();
    if (isFound || now - lookedAt < 1_000) return isFound;
    lookedAt = now;
    isFound = findViolations(history).length > 0;
    return isFound;
  };
}

/** The kinds of acknowledged changes. */
function kindsIn({ changes }: History): string[] {
  return changes.filter(({ status }) => status >= 200 && status < 300).map(kindOf);
}

function statusesIn({ reads }: History): number[] {
  return reads.map(({ status }) => status);
}

/** Every kind of change and of answer is in it. */
function isSufficient(history: History): boolean {
  const reachedKinds = kindsIn(history);
  const reachedStatuses = statusesIn(history);
  return (
    kinds.every((kind) => reachedKinds.includes(kind)) &&
    statuses.every((one) => reachedStatuses.includes(one))
  );
}
