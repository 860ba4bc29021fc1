import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createPlainClient } from './client.ts';
import { findFreePort } from './nginx.ts';
import { requireProgram } from './programs.ts';
import { until } from './until.ts';

/** What it does to the data of a connection: https://github.com/Shopify/toxiproxy#toxics. */
type Toxic = 'latency' | 'reset_peer' | 'timeout';
/** To the server, or from it. */
type Stream = 'upstream' | 'downstream';

/** Stands between clients and one server. Faults add up, and last until `restore`. */
export interface ToxicProxy {
  /** The address of the server with the proxy's host and port in the place of its own. */
  throughProxy(url: string): string;

  /** Whatever the server says arrives that much later. */
  delay(ms: number): Promise<void>;

  /**
   * What the server says is lost, and its connection ends with it, new ones by a reset: what was sent has been
   * carried out, and nobody is told.
   */
  resetAnswers(): Promise<void>;

  /** Nothing passes any more, either way, and is lost; connections stay, and new ones are accepted. */
  goSilent(): Promise<void>;

  /** The server is away: connections end, and new ones are refused. */
  refuse(): Promise<void>;

  /** All is well again. Connections that were silent end. */
  restore(): Promise<void>;
}

/** A process of Shopify's Toxiproxy. */
export interface Toxiproxy {
  /** @param url the server's: `redis://…`, `mongodb://…`, of one host with a port */
  open(url: string): Promise<ToxicProxy>;
  stop(): Promise<void>;
}

/** The path of toxiproxy-server. Without it the suite of that hook is skipped, and fails if CI is set. */
export function requireToxiproxy(hook: Mocha.Context): string {
  return requireProgram(hook, 'toxiproxy-server');
}

/** @param program the file of `toxiproxy-server`. @throws Error when it does not answer within 10 s */
export async function startToxiproxy(program: string): Promise<Toxiproxy> {
  const port = await findFreePort();
  const child = spawn(program, ['-host', '127.0.0.1', '-port', String(port)], {
    stdio: 'ignore',
    env: {},
  });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  const ended = once(child, 'exit');
  ended.catch(() => undefined); // that it could not be started is told by the wait for it
  const client = createPlainClient(`http://127.0.0.1:${port}`);
  await until(() => client.get('/version').then(isOk, () => false), `${program} answers`);

  async function ask(method: string, path: string, body?: object): Promise<string> {
    const { status, text } = await client.request(method, path, { ...(body && { body }) });
    if (status >= 300) throw new Error(`Toxiproxy: ${method} ${path}: ${status} ${text}`);
    return text;
  }

  let opened = 0;
  return {
    async open(url) {
      opened += 1;
      return openProxy(ask, `server-${opened}`, new URL(url).host);
    },
    async stop() {
      process.off('exit', stopWithUs);
      client.close();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

type Ask = (method: string, path: string, body?: object) => Promise<string>;

async function openProxy(ask: Ask, name: string, upstream: string): Promise<ToxicProxy> {
  const made = await ask('POST', '/proxies', { name, listen: '127.0.0.1:0', upstream, enabled: true });
  const { listen } = JSON.parse(made) as { listen: string }; // proof: what its README says it answers
  const path = `/proxies/${name}`;
  const toxics = new Set<string>();
  let isEnabled = true;

  async function add(type: Toxic, stream: Stream, attributes: object): Promise<void> {
    const toxic = `${type}_${stream}`;
    await ask('POST', `${path}/toxics`, { name: toxic, type, stream, attributes });
    toxics.add(toxic);
  }

  async function enable(enabled: boolean): Promise<void> {
    if (enabled !== isEnabled) await ask('POST', path, { listen, upstream, enabled });
    isEnabled = enabled;
  }

  return {
    throughProxy(url) {
      const through = new URL(url);
      through.host = listen;
      return through.href;
    },
    delay: (latency) => add('latency', 'downstream', { latency }),
    resetAnswers: () => add('reset_peer', 'downstream', { timeout: 0 }),
    async goSilent() {
      await add('timeout', 'upstream', { timeout: 0 }); // for ever
      await add('timeout', 'downstream', { timeout: 0 });
    },
    refuse: () => enable(false),
    async restore() {
      for (const toxic of toxics) await ask('DELETE', `${path}/toxics/${toxic}`);
      toxics.clear();
      await enable(true);
    },
  };
}

function isOk({ status }: { status: number }): boolean {
  return status === 200;
}
