import { rmSync } from 'node:fs';
import { dropleaf, type Outcome, startDropleaf } from '../bin/command.ts';
import { makeData } from '../bin/home.ts';
import { openCluster } from '../support/cluster.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { findFreePort } from '../support/nginx.ts';
import { noLimits } from '../support/no-limits.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { startVarnish } from '../support/varnish.ts';

/** A real service behind a real Varnish. */
export interface BehindVarnish {
  readonly edgeUrl: string;
  readonly originUrl: string;
  readonly token: string;
  /** Runs a `dropleaf` command with the service's settings. */
  operate(...args: string[]): Promise<Outcome>;
  /** Delays all data between Varnish and the origin, both ways. */
  delay(ms: number): void;
  close(): Promise<void>;
}

const purgeToken = 'pUrg3-t0ken';

/** A service's own processes. */
interface Origin {
  readonly url: string;
  readonly token: string;
  operate(...args: string[]): Promise<Outcome>;
  close(): Promise<void>;
}

export type StartOrigin = (env: Readonly<Record<string, string>>) => Promise<Origin>;

/** @param program the path of varnishd */
export async function openBehindVarnish(program: string, startOrigin: StartOrigin): Promise<BehindVarnish> {
  const port = await findFreePort();
  const edgeUrl = `http://127.0.0.1:${port}`;
  const origin = await startOrigin({
    BASE_URL: edgeUrl,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
    EDGE_PURGER: 'varnish',
    EDGE_PURGE_URL: edgeUrl,
    EDGE_PURGE_TOKEN: purgeToken,
    ...noLimits,
  });
  const proxy = await openFlakyProxy(origin.url);
  const varnish = await startVarnish(program, port, `http://127.0.0.1:${proxy.port}`, purgeToken);
  return {
    edgeUrl,
    originUrl: origin.url,
    token: origin.token,
    operate: origin.operate,
    delay: proxy.delay,
    async close() {
      varnish.kill('SIGTERM');
      await varnish.ended();
      await origin.close();
      await proxy.close();
    },
  };
}

/** `bin/dropleaf.js start`. */
export const startEmbedded: StartOrigin = async (env) => {
  const dataDir = makeTempDir();
  await makeData(dataDir);
  const { stdout } = await dropleaf(['token', '--user', 'edge'], { DATA_DIR: dataDir });
  const port = await findFreePort(); // it tells its public address alone, which is the edge's
  const running = await startDropleaf({ ...env, DATA_DIR: dataDir, PORT: String(port) });
  return {
    url: `http://127.0.0.1:${port}`,
    token: stdout.trim(),
    operate: (...args) => dropleaf(args, { ...env, DATA_DIR: dataDir }),
    async close() {
      running.kill('SIGTERM');
      await running.ended();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** `bin/dropleaf.js web` and `bin/dropleaf.js worker`. */
export const startScaleOut: StartOrigin = async (env) => {
  const cluster = await openCluster(env);
  const token = await cluster.makeToken('edge');
  const [web] = await Promise.all([cluster.startWeb(), cluster.startWorker()]);
  const operate = (...args: string[]) => dropleaf(args, { ...env, ...cluster.servers.env });
  return { url: web.url, token, operate, close: cluster.close };
};
