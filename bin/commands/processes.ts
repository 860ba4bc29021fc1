import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { atPort, type Config, isScaleOut } from '../../shared/config/config.ts';
import { openServices, type Services } from '../../shared/engines/open-services.ts';
import { hasEmbeddedData, migrateStores } from '../../shared/engines/open-stores.ts';
import {
  describeMisspelled,
  describeUnused,
  given,
  readServiceSettings,
  variableOf,
} from '../environment.ts';
import { explainListenError } from '../listening.ts';
import { createLog, type ProcessLog } from '../log.ts';
import { type Env, type ProcessIo, UsageError } from '../process-io.ts';
import { type Part, stopAll, watchForStop } from '../stopping.ts';
import { describeStart, type ProcessName, welcome } from '../welcome.ts';
import { countJobs } from './jobs.ts';

/**
 * Web and worker in one process until stopped, on SQLite, or on MongoDB (which it migrates) and Redis. @returns the exit code
 * @throws Error that says in one sentence why the service cannot start
 */
export async function start(io: ProcessIo): Promise<number> {
  const config = await readServiceSettings(io.env, { listens: true });
  const log = createLog(config.LOG_LEVEL, io.stderr);
  if (isScaleOut(config)) await migrateStores(config, { log });
  return run({
    name: 'start',
    io,
    config,
    log,
    checkServices: countJobs, // fails if Redis cannot be reached
    onReady: (services) => io.stdout.write(welcome(services, io)),
  });
}

/**
 * One of several web processes on MongoDB and Redis, until stopped; also while Redis is down. @returns the exit code
 * @throws Error that says in one sentence why the process cannot start
 */
export async function web(io: ProcessIo): Promise<number> {
  const { env } = io;
  // A platform's router connects from another machine.
  const config = await readScaleOutConfig('web', { ...env, HOST: given(env, 'HOST') || '0.0.0.0' });
  const log = createLog(config.LOG_LEVEL, io.stderr);
  return run({
    name: 'web',
    io,
    config,
    log,
    onReady({ config: { BASE_URL } }) {
      if (given(env, 'BASE_URL') !== '') return;
      log.warn({ baseUrl: BASE_URL }, 'BASE_URL is not set: links to pages work on this machine only');
    },
  });
}

/**
 * One of several workers on MongoDB and Redis, until stopped; waits while Redis is down. @returns the exit code
 * @throws Error that says in one sentence why the process cannot start
 */
export async function worker(io: ProcessIo): Promise<number> {
  const config = await readScaleOutConfig('worker', io.env);
  const log = createLog(config.LOG_LEVEL, io.stderr);
  return run({ name: 'worker', io, config, log });
}

async function readScaleOutConfig(command: 'web' | 'worker', env: Env): Promise<Config> {
  const missing = (['MONGODB_URI', 'REDIS_URL'] as const).filter((name) => variableOf(env, name) === null);
  if (missing.length === 0) return readServiceSettings(env, { listens: command === 'web' });
  throw new UsageError(
    `"bin/dropleaf.js ${command}" needs MONGODB_URI and REDIS_URL (not set: ${missing.join(', ')}); ` +
      'to run the service on this machine alone, use "npm start" or "bin/dropleaf.js start"',
  );
}

interface ProcessOptions {
  readonly name: ProcessName;
  readonly io: ProcessIo;
  readonly config: Config;
  readonly log: ProcessLog;
  /** Throws if the process should not start. */
  readonly checkServices?: (services: Services) => Promise<unknown>;
  readonly onReady?: (services: Services) => void;
}

async function run(options: ProcessOptions): Promise<number> {
  const { name, io, config, log } = options;
  for (const warning of [...describeMisspelled(io.env), ...describeUnused(config)]) log.warn({}, warning);
  if (name !== 'worker') warnOfFewFiles(config, log);
  await warnOfDataLeftBehind(config, log);
  const stopRequested = watchForStop(io, config.SHUTDOWN_SECONDS, log);
  const parts: Part[] = [];
  try {
    const services = await startParts(options, parts);
    options.onReady?.(services);
    const { fields, message } = describeStart(name, services.config, io);
    log.info(fields, message);
    if (name !== 'worker') warnOfProvider(services);
  } catch (error) {
    await stopAll(io, parts, config.SHUTDOWN_SECONDS, log);
    throw explainListenError(error, { host: config.HOST, port: config.PORT, prefix: '' });
  }
  const exitCode = await stopRequested;
  const clean = await stopAll(io, parts, config.SHUTDOWN_SECONDS, log);
  log.info({}, 'stopped');
  await log.flush();
  return clean ? exitCode : 1;
}

async function warnOfDataLeftBehind(config: Config, log: ProcessLog): Promise<void> {
  if (!isScaleOut(config) || !(await hasEmbeddedData(config))) return;
  log.warn(
    { dataDir: resolve(config.DATA_DIR) },
    'DATA_DIR holds data of the embedded engine that this process does not use, because MONGODB_URI and REDIS_URL are set. ' +
      'To move the data into an empty MongoDB: unset both and run "bin/dropleaf.js export FILE", then set both and ' +
      'run "bin/dropleaf.js import FILE". If nobody needs the data, remove the folder',
  );
}

/** The service runs without its OpenID provider: nobody signs in there until it answers as OIDC_ISSUER says. */
function warnOfProvider({ oidc, log }: Services): void {
  oidc?.check().catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : error;
    log.warn({ cause }, `nobody can sign in with ${oidc.name}: its discovery document cannot be used`);
  });
}

/** At start, because at the limit the process can open no file and accept no connection, and refuses clients at random. */
function warnOfFewFiles({ MAX_CONNECTIONS: maxConnections }: Config, log: ProcessLog): void {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }; // proof: Node's documentation; Windows has no limits
  const openFiles = Number(report.userLimits?.open_files?.soft); // NaN: unlimited
  if (!(openFiles <= maxConnections)) return;
  log.warn(
    { maxConnections, openFiles },
    'MAX_CONNECTIONS is not below the limit of open files (ulimit -n): raise the limit, or lower MAX_CONNECTIONS to 200 less than it',
  );
}

/** @param parts receives each part as soon as it has to be stopped */
async function startParts(options: ProcessOptions, parts: Part[]): Promise<Services> {
  const { name, log, checkServices } = options;
  const opened = name === 'worker' ? null : await openServer(options.config);
  if (opened !== null) parts.push({ stop: async () => void opened.server.close() });
  const services = await openServices(opened?.config ?? options.config, { log });
  parts.push({ stop: () => services.close() });
  if (services.metrics !== null) {
    const { serveMetrics } = await import('../../shared/engines/open-metrics.ts');
    parts.push(await serveMetrics(services, services.metrics));
  }
  await checkServices?.(services);
  const webPart = await opened?.startWeb(services);
  if (name !== 'web') {
    const { startWorker } = await import('../../worker/start-worker.ts');
    parts.push(startWorker(services)); // after the port is taken: without one the process takes no job
  }
  if (webPart !== undefined) parts.push(webPart); // stops first, so that its last requests can still enqueue jobs
  return services;
}

/** With PORT=0 the server takes a free port first, because URLs contain it. Otherwise it listens when all is ready. */
async function openServer(config: Config) {
  const { createWebServer, startWeb } = await import('../../api/server/start-web.ts'); // not loaded by a worker
  const server = createWebServer();
  const startOn = (services: Services) => startWeb(services, server);
  if (config.PORT !== 0) return { server, config, startWeb: startOn };
  await once(server.listen(0, config.HOST), 'listening');
  const { port } = server.address() as AddressInfo; // proof: it listens on a port, not on a pipe
  return { server, config: atPort(config, port), startWeb: startOn };
}
