import { expect } from 'chai';
import type { Answer } from '../support/client.ts';

/** Does the work for 0 to `count` − 1, `clients` at a time. @returns the outcomes in this order */
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

/** The answers to many writes at once, in the order of the writes. */
export interface Burst {
  readonly answers: readonly Answer[];
  readonly accepted: readonly Answer[];
  readonly refused: readonly Answer[];
  /** 502 to 504: the write may have been done. Only a slow machine has any. */
  readonly late: readonly Answer[];
}

/** Writes `count` times. If some answers were late, so that the limit may not be reached, writes until one is refused. */
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

/** Asserts that exactly `limit` were accepted, apart from late answers. */
export function expectLimit(limit: number, { accepted, refused, late }: Burst): void {
  expect(accepted.length, 'accepted').to.be.within(limit - late.length, limit);
  expect(refused).not.to.be.empty;
}

/** The outcome of work that began and ended in the same window of the real clock; repeats it otherwise. Times: Unix ms. */
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
