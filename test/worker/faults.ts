import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobName } from '../../shared/jobs/job-catalogue.ts';

/** The error of an injected fault. */
export class Fault extends Error {}

/** At a step the call rejects, or the process is gone (a call that never settles), before or after the effect. */
export const faultKinds = [
  'fails before it has done anything',
  'fails after it has done its work',
  'ends the process before',
  'ends the process after',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Faults {
  /** Counts the job's calls of the port's methods, and injects the fault at the chosen one. */
  wrap<T extends object>(port: T): T;
  /** Runs a handler, so that its calls count as those of the job. */
  within<T>(job: JobName, handle: () => T): T;
  /** Ends counting and injecting. */
  disarm(): void;
  /** Whether the fault was injected. */
  hasOccurred(): boolean;
  /** Resolves when the process ends by the fault. */
  readonly ended: Promise<void>;
}

/** Injects one fault, at the job's call of that number (from 1) over all wrapped ports. */
export function createFaults(job: JobName, step: number, kind: FaultKind): Faults {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function endProcess(): Promise<never> {
    end();
    return new Promise(() => undefined);
  }

  const steps = createSteps(job, step, async (call) => {
    if (kind === 'fails before it has done anything') throw new Fault(kind);
    if (kind === 'ends the process before') return endProcess();
    await call();
    if (kind === 'fails after it has done its work') throw new Fault(kind);
    return endProcess();
  });
  return { ...steps, ended };
}

/** Runs `act` right before the call of that number. */
export function createMeanwhile(job: JobName, step: number, act: () => Promise<void>): Faults {
  const steps = createSteps(job, step, async (call) => {
    await act();
    return call();
  });
  return { ...steps, ended: new Promise(() => undefined) };
}

/** The running job. One for all faults: each AsyncLocalStorage slows down every promise. */
const current = new AsyncLocalStorage<JobName>();

function createSteps(
  job: JobName,
  step: number,
  inject: (call: () => unknown) => Promise<unknown>,
): Omit<Faults, 'ended'> {
  let calls = 0;
  let isArmed = true;
  return {
    within: (name, handle) => current.run(name, handle),
    wrap<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const call = () => method.apply(target, args);
            if (!isArmed || current.getStore() !== job) return call();
            calls += 1;
            return calls === step ? inject(call) : call();
          };
        },
      });
    },
    disarm() {
      isArmed = false;
    },
    hasOccurred: () => calls >= step,
  };
}
