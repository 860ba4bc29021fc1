export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Ten minutes: for wrong attempts at a secret, and for the sign-ins of an account. */
export const attemptWindowMs = 600_000;

/** A fixed span of the clock in which something is counted. */
export interface TimeWindow {
  /** The same for all moments of the span. */
  readonly id: string;
  readonly durationMs: number;
  /** Whole seconds from `now` to the next span; at least 1. */
  readonly retryAfterSeconds: number;
}

/** Spans follow each other from the Unix epoch on. */
export function timeWindowOf(now: number, durationMs: number): TimeWindow {
  const index = Math.floor(now / durationMs);
  const left = (index + 1) * durationMs - now;
  return { id: String(index), durationMs, retryAfterSeconds: Math.max(1, Math.ceil(left / 1000)) };
}

/** When the UTC day of that moment began, Unix ms. */
export function startOfDay(now: number): number {
  return now - (now % dayMs);
}

/** The UTC day; its id is the date (`2026-01-31`). */
export function dayOf(now: number): TimeWindow {
  return { ...timeWindowOf(now, dayMs), id: new Date(now).toISOString().slice(0, 10) };
}
