/** A minute. */
export const minuteMs = 60_000;
const day = 86_400_000;

/** Ten minutes, in which wrong tries of a secret are counted, and the sign-ins of an account. */
export const tryWindowMs = 600_000;

/** A fixed span of the clock in which something is counted. */
export interface Window {
  /** Names the span: two moments in the same span have the same id. */
  readonly id: string;
  readonly durationMs: number;
  /** Whole seconds from the moment it was asked for until the next span opens; at least 1. */
  readonly retryAfterSeconds: number;
}

/** The clock's minute. */
export function minuteOf(now: number): Window {
  return windowOf(now, minuteMs);
}

/** The UTC day; its id is the date, as the day's records show it. */
export function dayOf(now: number): Window {
  return { ...windowOf(now, day), id: new Date(now).toISOString().slice(0, 10) };
}

/** Any fixed span that divides time from the epoch on. */
export function windowOf(now: number, durationMs: number): Window {
  const index = Math.floor(now / durationMs);
  const left = (index + 1) * durationMs - now;
  return { id: String(index), durationMs, retryAfterSeconds: Math.max(1, Math.ceil(left / 1000)) };
}
