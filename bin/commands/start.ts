import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebServer, startWeb } from '../../api/start-web.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { openServices } from '../../shared/open-services.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { createLog } from '../log.ts';
import { type Part, stopAll, watchForStop } from '../stopping.ts';
import { welcome } from '../welcome.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Runs web and worker in this process until something asks it to stop.
 * @returns the exit code
 * @throws Error that says in one sentence why it cannot start
 */
export async function start(env: Env): Promise<number> {
  const asked = readConfig(env);
  const log = createLog(asked.LOG_LEVEL);
  const stopAsked = watchForStop(log);
  const server = createWebServer();
  const parts: Part[] = [];
  try {
    const config = await takePort(server, asked, env);
    const services = await openServices(config, { log, role: 'service' });
    parts.push({ stop: () => services.close() });
    const web = await startWeb(services, server);
    parts.push(startWorker(services), web);
    process.stdout.write(welcome(services, { cwd: process.cwd(), dataDirSet: env.DATA_DIR }));
  } catch (error) {
    server.close();
    await stopAll(parts, asked.SHUTDOWN_SECONDS, log);
    throw explainListening(error, asked);
  }
  const exitCode = await stopAsked;
  const clean = await stopAll(parts, asked.SHUTDOWN_SECONDS, log);
  log.info({}, 'stopped');
  return clean ? exitCode : 1;
}

/**
 * Port 0 stands for any free one. That one is taken before anything else is opened, because the addresses that
 * the service hands out must name it; every other port is taken last, when all is ready to answer.
 */
async function takePort(server: Server, asked: Config, env: Env): Promise<Config> {
  if (asked.PORT !== 0) return asked;
  await once(server.listen(0, asked.HOST), 'listening');
  const { port } = server.address() as AddressInfo; // proof: it listens on a port, not on a pipe
  return readConfig({ ...env, PORT: String(port) });
}

/** What the system says about a port or address, as a sentence about the setting; anything else as it is. */
function explainListening(error: unknown, { HOST, PORT }: Config): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  const explain = (sentence: string) => new Error(sentence, { cause: error });
  switch (`${error.code} ${error.syscall}`) {
    case 'EADDRINUSE listen':
      return explain(
        `port ${PORT} of ${HOST} is in use; stop what listens there, or set PORT (0 takes a free one)`,
      );
    case 'EACCES listen':
      return explain(`port ${PORT} may not be opened by this user; set PORT to 1024 or higher`);
    case 'EADDRNOTAVAIL listen':
    case 'ENOTFOUND getaddrinfo':
    case 'EAI_AGAIN getaddrinfo':
      return explain(`HOST is "${HOST}", which is no address of this machine`);
    default:
      return error;
  }
}
