import { readFileSync } from 'node:fs';

// Bounds on CPU hold on a busy machine too: what other processes compute does not count.

/**
 * Milliseconds of CPU that the call takes in this process: the least of three, since the first may compile, or collect what other
 * tests have left.
 * @param enough a test that states this bound in milliseconds needs no further call after one that is below it
 */
export function cpuMsOf(call: () => void, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && least >= enough; n++) {
    const before = process.cpuUsage();
    call();
    least = Math.min(least, cpuMsSince(before));
  }
  return least;
}

export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** @returns ends the watch: the longest turn of the event loop, in ms of CPU of the main thread */
export function watchEventLoop(): () => number {
  let longest = 0;
  let last = mainThreadMs();
  const look = () => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

/**
 * The longest turn of the event loop while the act runs, in ms of CPU of the main thread: the least of three acts, since in one of them
 * the collector may clear what other tests have left.
 * @param enough a test that states this bound in milliseconds needs no further act after one that is below it
 */
export async function longestTurnOf(act: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && least >= enough; n++) {
    const longestTurn = watchEventLoop();
    await act().finally(() => {
      least = Math.min(least, longestTurn());
    });
  }
  return least;
}

/** The CPU that the main thread has used, of which Linux tells the nanoseconds; elsewhere the time, which has its share of other processes. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
