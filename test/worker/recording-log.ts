import type { Log } from '../../shared/ports/log.ts';

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
