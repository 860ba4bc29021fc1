import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobName } from '../../shared/job-catalogue.ts';

/** What a fault looks like to the code it strikes. */
export class Fault extends Error {}

/**
 * How a step goes wrong: it throws and has done nothing, or has done its work all the same (the answer was lost);
 * or the process ends before or after it, which the code sees as a call that never returns.
 */
export const faultKinds = [
  'throws undone',
  'throws though done',
  'ends the process before',
  'ends the process after',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Faults {
  /** Counts the calls of the port's methods that the job makes, and strikes at the one it is armed for. */
  wrap<T extends object>(port: T): T;
  /** Calls a handler of that job. */
  within<T>(job: JobName, handle: () => T): T;
  /** From now on all goes well, and nothing is counted. */
  disarm(): void;
  /** Whether the fault has come. */
  hasStruck(): boolean;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** Strikes once, at the call of that number (from 1) that the job makes, of all wrapped ports together. */
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
    if (kind === 'throws undone') throw new Fault(kind);
    if (kind === 'ends the process before') return endProcess();
    await call();
    if (kind === 'throws though done') throw new Fault(kind);
    return endProcess();
  });
  return { ...steps, ended };
}

/** Does something else right before the call of that number, which is then done as ever. */
export function createMeanwhile(job: JobName, step: number, act: () => Promise<void>): Faults {
  const steps = createSteps(job, step, async (call) => {
    await act();
    return call();
  });
  return { ...steps, ended: new Promise(() => undefined) };
}

/**
 * Which job's handler is running. One for all that count: each that is ever entered costs every promise of the process
 * something from then on.
 */
const current = new AsyncLocalStorage<JobName>();

function createSteps(
  job: JobName,
  step: number,
  strike: (call: () => unknown) => Promise<unknown>,
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
            return calls === step ? strike(call) : call();
          };
        },
      });
    },
    disarm() {
      isArmed = false;
    },
    hasStruck: () => calls >= step,
  };
}
