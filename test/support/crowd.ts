import { expect } from 'chai';
import type { Answer } from './client.ts';

/** Does the work for 0 up to below `count`, by so many clients at a time; the outcomes in the order of the numbers. */
export async function crowd<T>(
  clients: number,
  count: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const outcomes: T[] = [];
  let next = 0;
  async function client(): Promise<void> {
    while (next < count) {
      const index = next++;
      outcomes[index] = await work(index);
    }
  }
  await Promise.all(Array.from({ length: Math.min(clients, count) }, client));
  return outcomes;
}

/** What came of many writes at once; each answer at the number of its write. */
export interface Burst {
  readonly answers: readonly Answer[];
  readonly accepted: readonly Answer[];
  readonly refused: readonly Answer[];
  /** 503, and what nginx says by itself: the write may have been done. A machine that keeps up has none. */
  readonly late: readonly Answer[];
}

/** The writes of a crowd; where some were late, and so places may be left, more of them one by one until one is refused. */
export async function burst(
  clients: number,
  count: number,
  write: (index: number) => Promise<Answer>,
): Promise<Burst> {
  const answers = await crowd(clients, count, write);
  if (answers.some(isLate)) {
    const enough = 2 * count;
    do answers.push(await write(answers.length));
    while (answers.at(-1)?.status !== 429 && answers.length < enough);
  }
  return {
    answers,
    accepted: answers.filter(({ status }) => status < 300),
    refused: answers.filter((answer) => answer.status >= 300 && !isLate(answer)),
    late: answers.filter(isLate),
  };
}

export function isLate({ status }: Answer): boolean {
  return status >= 502 && status <= 504;
}

/** Asserts that as many as the limit says were let through: exactly, but for answers of which nobody knows. */
export function expectLimit(limit: number, { accepted, refused, late }: Burst): void {
  expect(accepted.length, 'accepted').to.be.within(limit - late.length, limit);
  expect(refused).not.to.be.empty;
}

/** As `60 × 201, 140 × 429 rate_limited`. */
export function describeAnswers(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, body } of answers) {
    const outcome = [status, body?.error?.code].join(' ').trim();
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
}

/**
 * What the work comes to where all of it falls into one span of the real clock; where one ends, it is done again.
 * `began` and `ended` are Unix ms.
 */
export async function withinOneWindow<T extends object>(
  ms: number,
  work: () => Promise<T>,
): Promise<T & { readonly began: number; readonly ended: number }> {
  for (;;) {
    const began = Date.now();
    const outcome = await work();
    const ended = Date.now();
    if (Math.floor(began / ms) === Math.floor(ended / ms)) return { ...outcome, began, ended };
  }
}
