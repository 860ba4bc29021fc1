import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { watch } from '../bin/command.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { findFreePort } from '../support/nginx.ts';
import { findProgram } from '../support/programs.ts';
import type { StartOptions, Web } from './processes.ts';

/** What goes wrong in a run. */
export interface Fault extends StartOptions {
  /** Starts it, and ends it. @param web one of the web processes @param restMs until the end of the run */
  act(web: Web, restMs: number): Promise<void>;
  close(): Promise<void>;
}

const stopMs = 3_000;
const nothing = { act: async () => undefined, close: async () => undefined };

/** By name; each is opened before the processes start. */
export const faults = {
  none: async () => nothing,

  'stop-web': async () => ({ ...nothing, act: stopForAWhile }),

  /** A Redis of its own, because others use the one of REDIS_URL. */
  async 'pause-redis'() {
    const port = await findFreePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const program = findProgram('redis-server');
    if (program === null) throw new Error('redis-server is not in PATH: install it');
    const redis = watch(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
    process.once('exit', () => redis.kill('SIGKILL'));
    await redis.firstMatch(/(Ready to accept connections)/);
    return {
      settings: { REDIS_URL: `redis://127.0.0.1:${port}` },
      act: () => stopForAWhile(redis),
      async close() {
        redis.kill('SIGKILL');
        await redis.ended();
      },
    };
  },

  /** Each command of one web process to MongoDB takes 120 ms longer. */
  'slow-mongo': () => throughProxy('MONGODB_URI', (proxy) => proxy.delay(60)),

  /** Notices reach one web process 500 ms late, and so do its confirmations. */
  'delay-notices': () => throughProxy('REDIS_URL', (proxy) => proxy.delay(500)),

  /** Notices do not reach one web process, and it confirms none. At first it is stopped, so that it does not read either. */
  'lose-notices': () =>
    throughProxy('REDIS_URL', async (proxy, web) => {
      proxy.loseAll();
      await stopForAWhile(web);
    }),

  /** Each web process confirms notices and ignores them: the only fault under which violations are right. */
  'drop-notices': async () => ({
    ...nothing,
    async start(settings) {
      const script = fileURLToPath(new URL('./deaf-web.js', import.meta.url));
      const env = { PATH: process.env.PATH ?? '', ...settings };
      const web = watch(spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] }));
      process.once('exit', () => web.kill('SIGKILL'));
      return { ...web, url: await web.firstMatch(/(http\S+)/) };
    },
  }),
} as const satisfies Record<string, () => Promise<Fault>>;

export type FaultName = keyof typeof faults;

async function stopForAWhile(process: Pick<Web, 'kill'>): Promise<void> {
  process.kill('SIGSTOP');
  await pause(stopMs);
  process.kill('SIGCONT');
}

/** The second web process reaches that server through a proxy, which has a fault until the end. */
async function throughProxy(
  name: 'MONGODB_URI' | 'REDIS_URL',
  begin: (proxy: FlakyProxy, web: Web) => void | Promise<void>,
): Promise<Fault> {
  const proxy = await openFlakyProxy(process.env[name] ?? '');
  return {
    settingsOf: (index, env) => (index === 1 ? { [name]: proxy.throughProxy(env[name] ?? '') } : {}),
    async act(web, restMs) {
      const end = pause(restMs);
      await begin(proxy, web);
      await end;
      proxy.restore();
    },
    close: proxy.close,
  };
}
