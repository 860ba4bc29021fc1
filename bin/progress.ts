import { SingleBar } from 'cli-progress';
import type { ProcessIo } from './process-io.ts';

export interface Progress {
  add(count: number): void;
  end(): void;
}

/** A progress bar, if stderr is a terminal and the total is known. @param what `Exporting` @param unit null: no numbers */
export function startProgress(
  { stderr }: Pick<ProcessIo, 'stderr'>,
  { what, total, unit }: { what: string; total: number | null; unit: string | null },
): Progress {
  if (!stderr.isTTY || total === null) return { add: () => undefined, end: () => undefined };
  const numbers = unit === null ? '' : ` | {value} of {total} ${unit}`;
  const bar = new SingleBar({
    format: `${what} [{bar}] {percentage}%${numbers} | {eta_formatted} left`,
    stream: stderr as NodeJS.WriteStream, // proof: a terminal's stream is one
    clearOnComplete: true,
    linewrap: true, // false would leave the terminal without it if the process is killed
    barsize: 30,
    etaBuffer: 100,
  });
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), end: () => bar.stop() };
}

/** A signal that SIGINT, SIGTERM and SIGHUP abort; a second one of them stops the process at once. */
export function watchForInterrupt(io: ProcessIo, message: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    io.on(signal, () => {
      if (controller.signal.aborted) io.exit(1);
      controller.abort(new Error(message));
    });
  }
  return controller.signal;
}
