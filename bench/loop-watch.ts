// Loaded into a service's process (`--import`), this tells how long its event loop was held. Whoever connects to the
// socket named by LOOP_WATCH gets the figures since the last time, as JSON.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface LoopFigures {
  /** The longest time between two turns, ms: also where the machine gave the process no time. */
  readonly delayMs: number;
  /** The same without the time in which the thread could have run and others had the processors. NaN: unknown. */
  readonly heldMs: number;
  /** The most processor time that the thread took between two turns, ms. NaN: unknown. */
  readonly busyMs: number;
}

/** What a process tells of itself. */
export interface ProcessFigures extends LoopFigures {
  /** Resident memory now. */
  readonly residentMib: number;
}

const everyMs = 2;

if (isMainThread && process.env.LOOP_WATCH) watch(process.env.LOOP_WATCH);

function watch(path: string): void {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let longest = { heldMs: 0, busyMs: 0 };
  let last = readClocks();
  const look = () => {
    const now = readClocks();
    const waitedMs = now.waitedMs - last.waitedMs;
    longest = {
      heldMs: Math.max(longest.heldMs, now.atMs - last.atMs - waitedMs),
      busyMs: Math.max(longest.busyMs, now.busyMs - last.busyMs),
    };
    last = now;
  };
  setInterval(look, everyMs).unref();
  createServer((connection) => {
    look();
    const residentMib = process.memoryUsage.rss() / 2 ** 20;
    const figures: ProcessFigures = { delayMs: delays.max / 1e6, ...longest, residentMib };
    connection.end(JSON.stringify(figures));
    delays.reset();
    longest = { heldMs: 0, busyMs: 0 };
  })
    .listen(path)
    .unref();
}

/** Of the main thread, whose id on Linux is that of the process: how long it has run, and waited for a processor. */
function readClocks(): { atMs: number; busyMs: number; waitedMs: number } {
  const atMs = performance.now();
  try {
    const [busy, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return { atMs, busyMs: Number(busy) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return { atMs, busyMs: Number.NaN, waitedMs: Number.NaN };
  }
}
