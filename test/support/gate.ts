/** Stands between a port and those who call it, as a network does: lets calls through, holds them, or refuses them. */
export interface Gate {
  /** @param methods those that go through the gate; unset: all */
  wrap<T extends object>(port: T, methods?: readonly (keyof T)[]): T;
  /** From now on calls wait, and nothing is done. */
  hold(): void;
  /** From now on calls are done, and answered only when the gate is opened. */
  holdAnswers(): void;
  /** From now on calls are refused with the error. */
  refuse(error: Error): void;
  /** Calls go through again, those that waited first; with an error they are refused instead. */
  open(error?: Error): void;
  waiting(): number;
}

export function createGate(): Gate {
  let pass: <T>(call: () => Promise<T>) => Promise<T> = (call) => call();
  let opened = createSignal();
  let waiting = 0;

  async function wait(): Promise<void> {
    waiting += 1;
    try {
      await opened.promise;
    } finally {
      waiting -= 1;
    }
  }

  return {
    wrap(port, methods) {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name);
          const isGated = methods === undefined || methods.some((one) => one === name);
          if (typeof method !== 'function') return method;
          if (!isGated) return method.bind(target);
          return (...args: unknown[]) => pass(async () => method.apply(target, args));
        },
      });
    },
    hold() {
      pass = async (call) => {
        await wait();
        return call();
      };
    },
    holdAnswers() {
      pass = async (call) => {
        const answer = await call();
        await wait();
        return answer;
      };
    },
    refuse(error) {
      pass = () => Promise.reject(error);
    },
    open(error) {
      pass = (call) => call();
      opened.end(error);
      opened = createSignal();
    },
    waiting: () => waiting,
  };
}

function createSignal() {
  let end: (error?: Error) => void = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  promise.catch(() => undefined); // where nobody waits, nobody is told
  return { promise, end };
}
