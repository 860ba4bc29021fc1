import type { Acknowledged } from '../../test/crash/acknowledged.ts';
import { createWriter, type Writer } from '../../test/crash/writer.ts';
import { type Client, createPlainClient } from '../../test/support/client.ts';

const writersEach = 3;
const readersEach = 3;

/** Writers and readers, some at each process. */
export interface Traffic {
  readonly acknowledged: Acknowledged;
  /** What was wrong, one line each. */
  readonly errors: string[];
  reads(): number;
  addProcess(name: string, url: string): void;
  /** From now on this process may cut connections: its clients end with the first that it cuts. */
  expectEnd(name: string): void;
  /** Ends all after what is under way. */
  stop(): Promise<void>;
  /** Compares what was read with all that was ever posted. @throws Error that names a page */
  checkReads(): Promise<void>;
}

/** A page that was read: the `<title>` is the number of its document. */
interface Read {
  readonly slug: string;
  readonly number: string;
  readonly from: string;
}

export function startTraffic(acknowledged: Acknowledged, token: string): Traffic {
  const errors: string[] = [];
  const seen: Read[] = [];
  const ending = new Set<string>();
  const running: Promise<void>[] = [];
  const writers: Writer[] = [];
  let isOver = false;
  let next = 0;

  async function write(name: string, client: Client): Promise<void> {
    const writer = createWriter(client, token, acknowledged, () => next++);
    writers.push(writer);
    const unknown = acknowledged.unknownWrites + acknowledged.unavailable;
    try {
      await writer.run();
    } catch (error) {
      errors.push(`${name}: ${String(error)}`);
    }
    if (!isOver && !ending.has(name) && acknowledged.unknownWrites + acknowledged.unavailable > unknown)
      errors.push(`${name}: a writer lost its connection, and the process was not to end`);
  }

  async function read(name: string, client: Client): Promise<void> {
    while (!isOver) {
      const entries = [...acknowledged.entries.values()];
      const entry = entries[Math.floor(Math.random() * entries.length)];
      if (entry === undefined) await new Promise((done) => setTimeout(done, 50));
      else if (!(await readOne(name, client, entry.slug))) return;
    }
  }

  /** @returns false if the process has ended */
  async function readOne(name: string, client: Client, slug: string): Promise<boolean> {
    try {
      const { status, text } = await client.get(`/p/${slug}/raw`);
      const number = /<title>(\d+)</.exec(text)?.[1];
      if (status === 200 && number !== undefined) seen.push({ slug, number, from: name });
      else if (status !== 404) errors.push(`${name}: GET /p/${slug}/raw was answered ${status}`);
      else setTimeout(() => checkMissing(name, slug), 3_000).unref();
      return true;
    } catch (error) {
      if (!ending.has(name) && !isOver) errors.push(`${name}: a reader got ${String(error)}`);
      return false;
    }
  }

  /** A page may be missing if it was being removed: its removal has been answered by now, or never will be. */
  function checkMissing(name: string, slug: string): void {
    const entry = acknowledged.entries.get(slug);
    if (entry !== undefined && !entry.isRemoved && !entry.unknown.removal)
      errors.push(`${name}: ${slug} was missing`);
  }

  return {
    acknowledged,
    errors,
    reads: () => seen.length,
    addProcess(name, url) {
      const client = createPlainClient(url);
      for (let i = 0; i < writersEach; i++) running.push(write(name, client));
      for (let i = 0; i < readersEach; i++) running.push(read(name, client));
    },
    expectEnd: (name) => void ending.add(name),
    async stop() {
      isOver = true;
      for (const writer of writers) writer.stop();
      await Promise.all(running);
    },
    async checkReads() {
      const unknownNumbers = new Set(
        [...acknowledged.unknownCreates.values()].map(({ html }) => numberOf(html)),
      );
      for (const { slug, number, from } of seen) {
        const entry = acknowledged.entries.get(slug);
        const posted = [...(entry?.versions.values() ?? []), ...(entry?.unknown.versions ?? [])];
        if (!posted.some(({ html }) => numberOf(html) === number) && !unknownNumbers.has(number))
          throw new Error(`${from}: ${slug} showed document ${number}, which was never posted to it`);
      }
    },
  };
}

function numberOf(html: string): string {
  return /<title>(\d+)</.exec(html)?.[1] ?? '';
}
