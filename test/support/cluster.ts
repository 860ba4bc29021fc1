import {
  dropleaf,
  type RunningService,
  startWebProcess,
  startWorkerProcess,
  type Watched,
} from '../bin/command.ts';
import { type OwnServers, openOwnServers } from '../bin/own-servers.ts';

/** Web and worker processes that share nothing but a database and a prefix of their own. */
export interface Cluster {
  readonly servers: OwnServers;
  /** A web process more, on a port of its own. @param settings for this one alone */
  startWeb(settings?: Readonly<Record<string, string>>): Promise<RunningService>;
  startWorker(settings?: Readonly<Record<string, string>>): Promise<Watched>;
  /** A new token of the local account of that name. */
  makeToken(user: string): Promise<string>;
  /** Ends every process at once, and takes the data away. */
  close(): Promise<void>;
}

export async function openCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const servers = await openOwnServers();
  const env = { ...servers.env, HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...settings };
  const running: Watched[] = [];
  await run(['migrate'], env);

  return {
    servers,
    async startWeb(own = {}) {
      // The line that tells its port is an `info`.
      const web = await startWebProcess({ ...env, LOG_LEVEL: 'info', ...own });
      running.push(web);
      return web;
    },
    async startWorker(own = {}) {
      const worker = await startWorkerProcess({ ...env, LOG_LEVEL: 'info', ...own });
      running.push(worker);
      return worker;
    },
    makeToken: (user) => run(['token', '--user', user], env),
    async close() {
      for (const one of running) one.kill('SIGKILL');
      await Promise.all(running.map((one) => one.ended()));
      await servers.remove();
    },
  };
}

/** @returns what it printed. @throws Error with what it complained of */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr, code } = await dropleaf(args, env);
  if (code !== 0) throw new Error(`dropleaf ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}
