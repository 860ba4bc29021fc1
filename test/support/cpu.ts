import { readFileSync } from 'node:fs';

// Bounds on CPU hold on a busy machine too: what other processes compute does not count.

/** Milliseconds of CPU that the call takes in this process: the least of three, since the first may compile, or collect what other tests have left. */
export function cpuMsOf(call: () => void): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = process.cpuUsage();
      call();
      return cpuMsSince(before);
    }),
  );
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

/** The CPU that the main thread has used, of which Linux tells the nanoseconds; elsewhere the time, which has its share of other processes. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
