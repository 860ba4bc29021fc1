import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(now = Date.UTC(2026, 0, 31, 12)): ManualClock {
  let time = now;
  return {
    now: () => time,
    advance(ms) {
      time += ms;
    },
  };
}

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Keeps every line for the test to look at. */
export function createRecordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const note = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { lines, debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
}
