import { expect } from 'chai';
import { describeViolation } from './checker.ts';
import { type History, kindOf } from './history.ts';
import { runCoherence } from './run.ts';

/** A short run: every kind of change and of answer is in its history, and no violation. */
export async function expectCoherence(
  context: Mocha.Context,
  options: Parameters<typeof runCoherence>[0],
): Promise<void> {
  context.timeout(150_000);
  const { history, violations, startedAt } = await runCoherence({ ...options, isSufficient });
  const lines = violations.map((violation) => describeViolation(violation, startedAt));
  expect(lines, `seed ${options.seed}`).to.deep.equal([]);
  expect(kindsIn(history)).to.include.members(kinds);
  expect(statusesIn(history)).to.include.members(statuses);
}

const kinds = [
  'POST',
  'PUT',
  'PATCH',
  'lock',
  'unlock',
  'takedown',
  'restore',
  'DELETE',
  'DELETE v',
  'POST v',
];
const statuses = [200, 304, 403, 404, 410];

/** The kinds of acknowledged changes. */
function kindsIn({ changes }: History): string[] {
  return changes.filter(({ status }) => status >= 200 && status < 300).map(kindOf);
}

function statusesIn({ reads }: History): number[] {
  return reads.map(({ status }) => status);
}

function isSufficient(history: History): boolean {
  const [reachedKinds, reachedStatuses] = [kindsIn(history), statusesIn(history)];
  return (
    kinds.every((kind) => reachedKinds.includes(kind)) &&
    statuses.every((one) => reachedStatuses.includes(one))
  );
}
