import { setTimeout as pause } from 'node:timers/promises';
import type { FlakyProxy } from '../support/flaky-proxy.ts';

export interface Fault {
  readonly name: string;
  /** Starts it, and ends it after that time. */
  act(proxy: FlakyProxy, ms: number): Promise<void>;
}

/** Faults of the network between a process and a server. */
export const faults = {
  latency: lasting('latency 250 ms each way', (proxy) => proxy.delay(250)),
  resets: lasting('reset', (proxy) => proxy.resetReplies()),
  flapping: {
    name: 'reset each 500 ms',
    async act(proxy, ms) {
      const end = performance.now() + ms;
      while (performance.now() < end) {
        proxy.resetReplies();
        await pause(60);
        proxy.restore();
        await pause(440);
      }
    },
  },
  silence: lasting('silence', (proxy) => proxy.loseAll()),
  refused: lasting('refused', (proxy) => proxy.refuse()),
} as const satisfies Record<string, Fault>;

function lasting(name: string, begin: (proxy: FlakyProxy) => void): Fault {
  return {
    name,
    async act(proxy, ms) {
      begin(proxy);
      await pause(ms);
      proxy.restore();
    },
  };
}
