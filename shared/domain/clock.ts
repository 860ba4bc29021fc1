/** The only source of time, so that tests move it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}
