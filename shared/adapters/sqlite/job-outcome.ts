import { type JobHandlers, type JobName, type JobPayload, jobs } from '../../job-catalogue.ts';
import type { HeldJob } from './job-rows.ts';

/** How one run of a job ended, and what is to become of the job. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly error: unknown; readonly delayMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** It still ran when the process had to stop. */
  | { readonly kind: 'given back' };

/** Calls the job's handler with its payload. Never rejects: what was thrown is in the outcome. */
export async function runJob(handlers: JobHandlers, job: HeldJob): Promise<Outcome> {
  const name = job.name as JobName; // proof: only names of the catalogue are claimed
  try {
    const call = prepareCall(handlers, name, job.payload);
    try {
      await call();
      return { kind: 'done' };
    } catch (error) {
      const { attempts, backoffMs } = jobs[name];
      if (job.attempts >= attempts) return { kind: 'failed', error };
      return { kind: 'retry', error, delayMs: backoffMs * 2 ** (job.attempts - 1) };
    }
  } catch (error) {
    // No later attempt would read the payload better.
    return { kind: 'failed', error };
  }
}

/** @throws when the text is no JSON, or does not fit the catalogue's schema */
function prepareCall<N extends JobName>(handlers: JobHandlers, name: N, text: string): () => Promise<void> {
  const payload = jobs[name].payload.validateSync(JSON.parse(text), { strict: true });
  return () => handlers[name](payload as JobPayload<N>); // proof: that job's own schema has let it through
}
