import { setTimeout as pause } from 'node:timers/promises';
import type { ToxicProxy } from '../support/toxiproxy.ts';

export interface Fault {
  readonly name: string;
  /** Lets it act for that long, and ends it. */
  act(proxy: ToxicProxy, ms: number): Promise<void>;
}

/** What networks do to a server that others count on. */
export const faults = {
  latency: lasting('latency 500 ms', (proxy) => proxy.delay(500)),
  resets: lasting('reset', (proxy) => proxy.resetAnswers()),
  flapping: {
    name: 'reset each 500 ms',
    async act(proxy, ms) {
      const end = performance.now() + ms;
      while (performance.now() < end) {
        await proxy.resetAnswers();
        await pause(60);
        await proxy.restore();
        await pause(440);
      }
    },
  },
  silence: lasting('silence', (proxy) => proxy.goSilent()),
  away: lasting('refused', (proxy) => proxy.refuse()),
} as const satisfies Record<string, Fault>;

function lasting(name: string, begin: (proxy: ToxicProxy) => Promise<void>): Fault {
  return {
    name,
    async act(proxy, ms) {
      await begin(proxy);
      await pause(ms);
      await proxy.restore();
    },
  };
}
