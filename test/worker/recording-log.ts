import type { Log } from '../../shared/log/log.ts';
import { throttleFailures } from '../../shared/log/throttled-log.ts';

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

/** The same as a process has it: repeated failures are throttled, and lines of level debug are not kept. */
export function createThrottledRecordingLog(clock: { now(): number }): Log & { readonly lines: LogLine[] } {
  const recorded = createRecordingLog();
  const log = throttleFailures({ ...recorded, debug: () => undefined }, clock.now);
  return { ...log, lines: recorded.lines };
}
