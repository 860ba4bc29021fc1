import { rmSync } from 'node:fs';
import { dropleaf, startWebProcess, startWorkerProcess } from '../test/bin/command.ts';
import { openOwnServers } from '../test/bin/own-servers.ts';
import { type Answer, type Client, createPlainClient } from '../test/support/client.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { cpuSeconds, mainThreadCpuMs, residentMib, startService } from './processes.ts';

/** A running service without limits. */
export interface Served {
  readonly engine: Place['engine'];
  readonly url: string;
  /** The token of the account `bench`. */
  readonly token: string;
  /** A new token of the local account of that name. */
  makeToken(user: string): Promise<string>;
  /** What tells commands and adapters where the data is. */
  readonly env: Settings;
  /** For the process that answers requests. */
  cpuSeconds(): number;
  mainThreadCpuMs(): number;
  /** For all processes of the service. */
  wholeCpuSeconds(): number;
  /** MiB, or null. */
  residentMib(): number | null;
  close(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/** Where a service has its data. */
export interface Place {
  readonly engine: 'embedded' | 'scale-out';
  readonly env: Settings;
  remove(): Promise<void>;
}

/** The embedded engine, and the scale-out engine if MONGODB_URI and REDIS_URL are set. */
export function listEngines(): readonly {
  readonly name: Place['engine'];
  openPlace(): Promise<Place>;
  /** With data of its own, which is removed with it. */
  serve(settings?: Settings): Promise<Served>;
}[] {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const names = MONGODB_URI && REDIS_URL ? (['embedded', 'scale-out'] as const) : (['embedded'] as const);
  return names.map((name) => ({ name, openPlace: () => openPlace(name), serve: (own) => serve(name, own) }));
}

async function openPlace(engine: Place['engine']): Promise<Place> {
  if (engine === 'scale-out') return { engine, ...(await openOwnServers()) };
  const dir = makeTempDir();
  const remove = async () => rmSync(dir, { recursive: true });
  return { engine, env: { DATA_DIR: dir }, remove };
}

export async function serve(engine: Place['engine'], settings: Settings = {}): Promise<Served> {
  const place = await openPlace(engine);
  const served = await serveAt(place, settings);
  return { ...served, close: () => served.close().then(place.remove) };
}

/** One process, or a web process and a worker. The data stays. */
export async function serveAt({ engine, env }: Place, settings: Settings = {}): Promise<Served> {
  const all = { ...noLimits, ...env, ...settings };
  const makeToken = async (user: string) => (await dropleaf(['token', '--user', user], env)).stdout.trim();
  if (engine === 'embedded') {
    const { cpuSeconds, stop, ...service } = await startService(all);
    const token = await makeToken('bench');
    const cpu = { cpuSeconds, wholeCpuSeconds: cpuSeconds };
    return { engine, env, ...service, ...cpu, token, makeToken, close: stop };
  }
  await dropleaf(['migrate'], env);
  const web = await startWebProcess({ HOST: '127.0.0.1', ...all });
  const worker = await startWorkerProcess(all);
  return {
    engine,
    env,
    url: web.url,
    token: await makeToken('bench'),
    makeToken,
    cpuSeconds: () => cpuSeconds(web.pid),
    wholeCpuSeconds: () => cpuSeconds(web.pid) + cpuSeconds(worker.pid),
    mainThreadCpuMs: () => mainThreadCpuMs(web.pid),
    residentMib: () => residentMib(web.pid),
    async close() {
      for (const each of [web, worker]) each.kill('SIGTERM');
      await Promise.all([web.ended(), worker.ended()]);
    },
  };
}

/** @returns the slug of a new drop */
export async function publish({ url, token }: Served, html: string): Promise<string> {
  const client = createPlainClient(url);
  const answer = await client.request('POST', '/api/drops', { token, body: { title: 'A page', html } });
  client.close();
  if (answer.status !== 201) throw new Error(`POST /api/drops was answered ${answer.status}: ${answer.text}`);
  return answer.body.slug;
}

/** As a local account. @returns the Cookie header */
export async function signIn({ url, env }: Pick<Served, 'url' | 'env'>, name: string): Promise<string> {
  const key = (await dropleaf(['sign-in-key'], env)).stdout.trim();
  const client = createPlainClient(url);
  const { cookies, status } = await requestSignIn(client, name, key);
  client.close();
  const cookie = cookies[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`The sign-in was answered ${status}`);
  return cookie;
}

export function requestSignIn(client: Client, name: string, key: string): Promise<Answer> {
  return client.request('POST', '/sign-in/browser', {
    raw: new URLSearchParams({ name, key }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: client.url,
      'sec-fetch-mode': 'navigate',
    },
  });
}
