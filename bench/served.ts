import { rmSync } from 'node:fs';
import { dropleaf } from '../test/bin/command.ts';
import { type Answer, type Client, createPlainClient } from '../test/support/client.ts';
import { openCluster } from '../test/support/cluster.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { cpuSeconds, residentMib, startService } from './processes.ts';

/** A running service with data of its own and without limits. */
export interface Served {
  readonly engine: 'embedded' | 'scale-out';
  readonly url: string;
  /** The token of the account `bench`. */
  readonly token: string;
  /** A new token of the local account of that name. */
  makeToken(user: string): Promise<string>;
  /** What tells commands and adapters where the data is. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the process that answers requests. */
  cpuSeconds(): number;
  /** Of all processes of the service. */
  wholeCpuSeconds(): number;
  /** MiB, or null. */
  residentMib(): number | null;
  close(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/** The embedded engine, and the scale-out engine if MONGODB_URI and REDIS_URL are set. */
export function listEngines(): readonly {
  readonly name: Served['engine'];
  serve(settings?: Settings): Promise<Served>;
}[] {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const scaleOut = { name: 'scale-out', serve: serveScaleOut } as const;
  return [{ name: 'embedded', serve: serveEmbedded }, ...(MONGODB_URI && REDIS_URL ? [scaleOut] : [])];
}

/** One process. */
export async function serveEmbedded(settings: Settings = {}): Promise<Served> {
  const dataDir = makeTempDir();
  const service = await startService({ ...noLimits, ...settings, DATA_DIR: dataDir });
  const makeToken = async (user: string) =>
    (await dropleaf(['token', '--user', user], { DATA_DIR: dataDir })).stdout.trim();
  return {
    ...service,
    engine: 'embedded',
    wholeCpuSeconds: service.cpuSeconds,
    token: await makeToken('bench'),
    makeToken,
    env: { DATA_DIR: dataDir },
    async close() {
      await service.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** A web process and a worker. */
async function serveScaleOut(settings: Settings = {}): Promise<Served> {
  const cluster = await openCluster({ ...noLimits, ...settings });
  const { url, pid } = await cluster.startWeb();
  const worker = await cluster.startWorker();
  return {
    engine: 'scale-out',
    url,
    token: await cluster.makeToken('bench'),
    makeToken: cluster.makeToken,
    env: cluster.servers.env,
    cpuSeconds: () => cpuSeconds(pid),
    wholeCpuSeconds: () => cpuSeconds(pid) + cpuSeconds(worker.pid),
    residentMib: () => residentMib(pid),
    close: cluster.close,
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
