import type { JobHandlers } from '../../shared/jobs/job-catalogue.ts';

/** The same handlers; what they throw is added to `thrown` too. */
export function recordFailures(handlers: JobHandlers, thrown: unknown[]): JobHandlers {
  const recording = Object.entries(handlers).map(([name, handle]) => {
    const call = handle as (payload: unknown) => Promise<void>; // proof: called with its own payload below
    const recorded = (payload: unknown) =>
      call(payload).catch((error: unknown) => {
        thrown.push(error);
        throw error;
      });
    return [name, recorded];
  });
  return Object.fromEntries(recording) as JobHandlers; // proof: the same names
}
