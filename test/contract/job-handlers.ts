import { type JobHandlers, type JobName, jobNames } from '../../shared/job-catalogue.ts';

/** Handlers for every name, which note `name payload` and then do what is given for them, or nothing. */
export function recordingHandlers(calls: string[], handlers: Partial<JobHandlers> = {}): JobHandlers {
  const entries = jobNames.map((name) => [
    name,
    async (payload: never) => {
      calls.push(`${name} ${JSON.stringify(payload)}`);
      await handlers[name]?.(payload);
    },
  ]);
  return Object.fromEntries(entries) as JobHandlers; // proof: an entry for each name of the catalogue
}

export function callsOf(calls: readonly string[], name: JobName): string[] {
  return calls.filter((call) => call.startsWith(`${name} `));
}

/** A place where a handler waits until the test lets it go on. */
export function createGate() {
  let enter: () => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    entered,
    open: () => open(),
    pass(): Promise<void> {
      enter();
      return opened;
    },
  };
}

export async function rejectWith(reason: string): Promise<never> {
  throw new Error(reason);
}
