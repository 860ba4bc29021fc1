import { setTimeout as pause } from 'node:timers/promises';
import { waitAtMost } from '../../shared/util/promises.ts';
import { createRandom } from '../support/random.ts';
import { findViolations, type Violation } from './checker.ts';
import { type Fault, type FaultName, faults } from './faults.ts';
import { type History, itemAt, pick } from './history.ts';
import { type EngineName, openProcesses, type Processes } from './processes.ts';
import { type Asked, createReader } from './readers.ts';
import { createWriters } from './writers.ts';

const readerCount = 100;
const writerCount = 12;
/** A reader's longest pause between two requests. */
const readPauseMs = 30;
/** How much longer a run may take until its history is sufficient. */
const extraMs = 60_000;
/** For answers that are still to come when the time is over. */
const settleMs = 10_000;

export interface CoherenceReport {
  readonly history: History;
  readonly violations: readonly Violation[];
  /** `performance.now()` when the first request was sent. */
  readonly startedAt: number;
}

/** Lets readers and writers request all processes, with the fault in the middle, and checks their history. */
export async function runCoherence(options: {
  engine: EngineName;
  fault: FaultName;
  seconds: number;
  seed: number;
  /** Whether the history is sufficient: on a slow machine the run then takes up to a minute longer. Unset: it always is. */
  isSufficient?: (history: History) => boolean;
}): Promise<CoherenceReport> {
  const fault: Fault = await faults[options.fault]();
  try {
    const processes = await openProcesses(options.engine, fault);
    const act = async () => {
      const thirdMs = (options.seconds * 1_000) / 3;
      await pause(thirdMs);
      await fault.act(itemAt(processes.webs, 1), 2 * thirdMs);
    };
    return await readAndWrite(processes, act, options).finally(processes.close);
  } finally {
    await fault.close();
  }
}

async function readAndWrite(
  processes: Processes,
  act: () => Promise<void>,
  { seconds, seed, isSufficient = () => true }: Parameters<typeof runCoherence>[0],
): Promise<CoherenceReport> {
  const history: History = { changes: [], reads: [] };
  const reader = createReader(history);
  const writers = createWriters({ processes, history, reader });
  const startedAt = performance.now();
  const isOver = () => {
    const extra = performance.now() - startedAt - seconds * 1_000;
    return extra > extraMs || (extra > 0 && isSufficient(history));
  };

  /** Always requests the same process, so that one that does not answer leaves readers to the other. */
  async function readOn(index: number): Promise<void> {
    const random = createRandom(seed * 1_000 + index);
    const web = itemAt(processes.webs, index);
    while (!isOver()) {
      const drop = pick([...writers.drops, null], random);
      const slug = drop?.slug ?? writers.gone[Math.floor(random() * writers.gone.length)];
      const options = { isBrotli: random() < 0.5, isConditional: random() < 0.3 };
      if (slug !== undefined && !(await reader.read(web, slug, chooseAsked(drop, random), options)))
        await pause(100); // the process is down
      await pause(random() * readPauseMs);
    }
  }

  const working = [
    act(),
    ...Array.from({ length: readerCount }, (_, index) => readOn(index)),
    ...Array.from({ length: writerCount }, (_, index) =>
      writers.run(index, createRandom(seed * 1_000 + readerCount + index), isOver),
    ),
  ];
  await waitAtMost(seconds * 1_000 + extraMs + settleMs, Promise.all(working));
  await waitAtMost(settleMs, reader.settle());
  return { history, violations: findViolations(history), startedAt };
}

function chooseAsked(
  drop: { readonly versions: ReadonlyMap<number, string> } | null,
  random: () => number,
): Asked {
  const choice = random();
  if (choice < 0.7 || drop === null) return 'raw';
  return choice < 0.8 ? 'viewer' : pick([...drop.versions.keys()], random);
}
