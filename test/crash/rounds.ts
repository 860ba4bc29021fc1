import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { noLimits } from '../support/no-limits.ts';
import { unhurried } from '../support/unhurried.ts';
import { type Acknowledged, createAcknowledged } from './acknowledged.ts';
import { verify } from './verify.ts';
import { createWriter, type Writer } from './writer.ts';

const writersEach = 6;
/** Accepted before the kill of a round with keys. */
const keyedWrites = 100;

/** What a subject is to be started with. */
export const roundSettings = {
  LOG_LEVEL: 'error',
  ...noLimits,
  ...unhurried, // a 503 is the fault of the killed process then, and not of a busy machine
};

/** Something that takes writes, and can be killed in their midst: one process, or several that share their data. */
export interface Subject {
  readonly token: string;
  /** Starts what does not run. Where it answers; the first is the one that is killed. */
  start(): Promise<readonly string[]>;
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Looks into the data itself, while nobody writes. @throws Error that says what is wrong */
  checkData(): Promise<void>;
  /** Starts one with these settings over the same data, for as long as it is used. */
  withSettings(
    settings: Readonly<Record<string, string>>,
    use: (url: string) => Promise<void>,
  ): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

interface RoundOptions {
  readonly withKeys?: boolean;
  readonly report?: (round: RoundReport) => void;
}

interface RoundReport {
  /** Of this round. */
  readonly accepted: number;
  readonly unknown: number;
  /** Of all rounds until now. */
  readonly drops: number;
}

/**
 * Kills a service (SIGKILL) in a stream of writes, starts it again, and compares; so many times. In the end quotas, too.
 * @param withKeys POSTs and PUTs have keys: those without an answer are repeated
 * @param report called for each round that held
 * @throws Error that says what was lost, wrong or done twice
 */
export async function runCrashRounds(
  subject: Subject,
  rounds: number,
  { withKeys = false, report = () => undefined }: RoundOptions = {},
): Promise<void> {
  const acknowledged = createAcknowledged();
  const startedOn = today();
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const before = { accepted: acknowledged.accepted, unknown: acknowledged.unknownWrites };
    const urls = await subject.start();
    await withClients(urls, (clients) => {
      const writers = clients.flatMap((client) =>
        Array.from({ length: writersEach }, () =>
          createWriter(client, subject.token, acknowledged, () => next++, withKeys ? urls : undefined),
        ),
      );
      return writeAndKill(subject, writers, acknowledged, withKeys ? keyedWrites : writers.length);
    });
    await verifyAll(subject, acknowledged);
    report({
      accepted: acknowledged.accepted - before.accepted,
      unknown: acknowledged.unknownWrites - before.unknown,
      drops: countDrops(acknowledged),
    });
  }
  if (startedOn === today()) await verifyQuotas(subject, acknowledged); // at midnight the day begins anew
}

/** @param atLeast so many are accepted before the kill */
async function writeAndKill(
  subject: Subject,
  writers: readonly Writer[],
  acknowledged: Acknowledged,
  atLeast: number,
): Promise<void> {
  const ended = Promise.all(writers.map((writer) => writer.run()));
  try {
    await untilAccepted(acknowledged, atLeast, ended);
    await Promise.race([wait(200 + Math.random() * 500), ended]);
    await subject.kill();
    if (writers.length > writersEach) await untilAccepted(acknowledged, writers.length, ended); // by the others
  } finally {
    for (const writer of writers) writer.stop();
    await subject.kill(); // where a writer has failed, it still runs
  }
  await ended;
  if (acknowledged.unavailable > 0) throw new Error(`${acknowledged.unavailable} writes were answered 503`);
}

/** Waits for so many more writes. @throws what a writer throws */
async function untilAccepted(
  acknowledged: Acknowledged,
  count: number,
  ended: Promise<unknown>,
): Promise<void> {
  const enough = acknowledged.accepted + count;
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (acknowledged.accepted < enough && !isOver) await Promise.race([wait(10), over]);
  if (acknowledged.accepted < enough) throw new Error('the writers have ended before the service was killed');
}

async function verifyAll(subject: Subject, acknowledged: Acknowledged): Promise<void> {
  await withClients(await subject.start(), async (clients) => {
    const [client] = clients; // they share all there is
    if (client === undefined) return;
    await Promise.all(acknowledged.unfinished.splice(0).map((finish) => finish(client)));
    await verify(client, subject.token, acknowledged);
  });
  await subject.checkData();
}

/** The day's count is at least what was accepted, and at most that and what had no answer. Live drops are all that count. */
async function verifyQuotas(subject: Subject, acknowledged: Acknowledged): Promise<void> {
  const mostWrites = acknowledged.accepted + acknowledged.unknownWrites;
  const drops = countDrops(acknowledged);
  for (const [limits, outcomes] of [
    [{ WRITES_PER_DAY: acknowledged.accepted }, ['daily_quota_exceeded']],
    [{ WRITES_PER_DAY: mostWrites + 1 }, ['written']],
    [{ DROPS_PER_ACCOUNT: drops + 2 }, ['written', 'quota_exceeded']], // one is there from the line before
  ] as const) {
    const found = await write(subject, limits, outcomes.length);
    if (found.join() === outcomes.join()) continue;
    throw new Error(
      `a quota miscounts: with ${JSON.stringify(limits)} a write was ${found}, not ${outcomes}`,
    );
  }
}

/** What so many more writes come to under these limits: an error's code, or `written`. */
async function write(
  subject: Subject,
  limits: Readonly<Record<string, number>>,
  times: number,
): Promise<string[]> {
  const outcomes: string[] = [];
  const settings = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, String(limit)]));
  await subject.withSettings(settings, async (url) => {
    const client = createClient(url);
    const body = { title: 'One more', html: 'x' };
    for (let time = 0; time < times; time++) {
      const answer = await client.request('POST', '/api/drops', { token: subject.token, body });
      outcomes.push(answer.status === 201 ? 'written' : answer.body.error.code);
    }
    client.close();
  });
  return outcomes;
}

function countDrops(acknowledged: Acknowledged): number {
  return [...acknowledged.entries.values()].filter((entry) => !entry.isRemoved).length;
}

async function withClients(
  urls: readonly string[],
  use: (clients: readonly Client[]) => Promise<void>,
): Promise<void> {
  const clients = urls.map((url) => createClient(url));
  try {
    await use(clients);
  } finally {
    for (const client of clients) client.close();
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
