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
  /** Counts the calls of the port's methods, and strikes at the one it is armed for. */
  wrap<T extends object>(port: T): T;
  /** From now on all goes well, and nothing is counted. */
  disarm(): void;
  /** Whether the fault has come. */
  hasStruck(): boolean;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** Strikes once, at the call of that number (from 1) of all wrapped ports together. */
export function createFaults(step: number, kind: FaultKind): Faults {
  let calls = 0;
  let isArmed = true;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function endProcess(): Promise<never> {
    end();
    return new Promise(() => undefined);
  }

  async function strike(call: () => unknown): Promise<unknown> {
    if (kind === 'throws undone') throw new Fault(kind);
    if (kind === 'ends the process before') return endProcess();
    await call();
    if (kind === 'throws though done') throw new Fault(kind);
    return endProcess();
  }

  return {
    wrap<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const call = () => method.apply(target, args);
            if (!isArmed) return call();
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
    ended,
  };
}
