import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { createWebServer, startWeb } from '../../api/server/start-web.ts';
import type { Account } from '../../shared/accounts/account.ts';
import type { DrawCard } from '../../shared/cards/card.ts';
import { type Config, readConfig } from '../../shared/config/config.ts';
import type { Scope } from '../../shared/credentials/token.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { openServices, type Services } from '../../shared/engines/open-services.ts';
import type { FindTitle } from '../../shared/html/title.ts';
import type { JobHandlers } from '../../shared/jobs/job-catalogue.ts';
import type { Log } from '../../shared/log/log.ts';
import { throttleFailures } from '../../shared/log/throttled-log.ts';
import { createArgon2Hasher } from '../../shared/passcodes/argon2.ts';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { databaseFile } from '../../shared/sqlite/data-dir.ts';
import type { OpenPool } from '../../shared/threads/threads.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { between, useEach } from './between.ts';
import { createCardRenderer } from './card-renderer.ts';
import { type Client, createClient } from './client.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { isScaleOutRun, openTestEngine } from './engine.ts';
import { recordFailures } from './job-failures.ts';
import { putNewDatabase } from './new-database.ts';
import { createOwner, type Owner } from './owner.ts';
import { openSharedPool } from './shared-threads.ts';
import { makeTempDir } from './temp-dir.ts';
import { unhurried } from './unhurried.ts';
import { type Visits, visitsOf } from './visits.ts';
import type { WireDrop } from './wire.ts';

export type { Owner } from './owner.ts';

/** The whole service in this process, over a real port and a data directory of its own. */
export interface TestService extends Client, Visits {
  readonly config: Config;
  readonly clock: TestClock;
  readonly services: Services;
  /** Every line that was logged, as text. */
  readonly logs: readonly string[];
  /** A new account with a token. @param name of the local identity; unset: one that nobody has */
  newOwner(name?: string): Promise<Owner>;
  /** A drop of a new account. @param fields as of `Owner.create` */
  newDrop(fields?: object): Promise<WireDrop & { owner: Owner }>;
  /** Another token of the same account. */
  newToken(owner: Owner, label?: string, scope?: Scope): Promise<Owner>;
  /** The account as operators find it. @throws if there is none */
  accountOf(owner: Pick<Owner, 'userId'>): Promise<Account>;
  /** Hands on and adds up the views, and runs all jobs that are due, until there are none. */
  settle(): Promise<void>;
  /** Stops it in order and starts it again with the same data, address and time. */
  restart(changes?: Partial<Config>): Promise<void>;
  stop(): Promise<void>;
}

/** Far longer than the client keeps an idle connection (client.ts): a busy process runs due timers together. */
const idleMs = 600_000;

/** The tests of the hasher have the cost that a service has. */
const passcodeHasher = createArgon2Hasher({ memoryCost: 256, timeCost: 1, parallelism: 1 });

type Settings = Readonly<Record<string, string>>;

interface ServiceOptions {
  /** Settings other than the defaults, which may name the port of the service. */
  readonly env?: Settings | ((port: number) => Settings);
  /** Unset: one that stands in the middle of a minute and of a day. */
  readonly clock?: TestClock;
  /** Puts faults and delays between the services and the engine. */
  readonly adaptEngine?: (engine: Engine) => Engine;
  /** Unset: one that takes no time. */
  readonly drawCard?: DrawCard;
  /** Unset: that of the service, in a thread. */
  readonly findTitle?: FindTitle;
  /** Unset: threads that the services of the process share. */
  readonly openPool?: OpenPool;
  /** Unset: a second. For tests that expect the sides of a comment in the answer, on a machine of any speed. */
  readonly sidesMs?: number;
  /** Puts data into the empty engine before the service starts. */
  readonly prepare?: (config: Config) => Promise<void>;
}

export async function startService({
  env = {},
  clock = createTestClock(),
  adaptEngine = (engine) => engine,
  drawCard = createCardRenderer(),
  findTitle,
  openPool = openSharedPool,
  sidesMs,
  prepare = async () => undefined,
}: ServiceOptions = {}): Promise<TestService> {
  const dataDir = makeTempDir();
  const testEngine = await openTestEngine(clock);
  const logs: string[] = [];
  const log = throttleFailures(keepLines(logs), clock.now);
  const server = await listenOn(0);
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  const url = `http://127.0.0.1:${port}`;
  const own = { DATA_DIR: dataDir, BASE_URL: url, PORT: String(port), ...unhurried, ...testEngine.env };
  const config = readConfig({ ...own, ...(typeof env === 'function' ? env(port) : env) });
  await prepare(config);
  if (!isScaleOutRun) putNewDatabase(databaseFile(config.DATA_DIR));
  const client = createClient(url);
  const parts = { clock, log, adaptEngine, drawCard, findTitle, openPool, sidesMs };
  let running = await run(config, parts, server);
  let owners = 0;

  async function ownerNamed(name: string, label: string | null, scope: Scope = 'all'): Promise<Owner> {
    const { signIns, tokens } = running.services;
    const account = await signIns.signInWith(withoutClaims({ provider: 'local', subject: name, name }));
    return createOwner(client, account.id, name, await tokens.mint(account.id, { label, scope }));
  }

  const newOwner = (name = `owner-${++owners}`) => ownerNamed(name, 'test');

  return {
    ...client,
    ...visitsOf(client),
    config,
    clock,
    logs,
    get services() {
      return running.services;
    },
    newOwner,
    async newDrop(fields) {
      const owner = await newOwner();
      return { ...(await owner.create(fields)), owner };
    },
    newToken: (owner, label, scope) => ownerNamed(owner.name, label ?? null, scope),
    async accountOf({ userId }) {
      const account = await running.services.moderation.findAccount(userId);
      if (account === null) throw new Error('there is no such account');
      return account;
    },
    async settle() {
      const { engine, jobs, views } = running.services;
      await views.flush();
      await engine.views.aggregate(clock.now()); // its schedule would need the clock to move
      running.thrown.length = 0;
      await testEngine.settle(jobs);
      if (running.thrown.length > 0) throw new AggregateError(running.thrown, running.thrown.join('; '));
    },
    async restart(changes = {}) {
      client.close(); // its connections end with the old server
      await running.stop();
      running = await run({ ...config, ...changes }, parts, await listenOn(port));
    },
    async stop() {
      client.close();
      await running.stop();
      await testEngine.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A service for the tests of the surrounding suite. @param adaptEngine puts faults between the services and the engine */
export function useService(
  env: ServiceOptions['env'] = {},
  adaptEngine: ServiceOptions['adaptEngine'] = (engine) => engine,
  drawCard = createCardRenderer(),
  more: Pick<ServiceOptions, 'sidesMs'> = {},
): TestService {
  return runningBetween(before, after, () => startService({ env, adaptEngine, drawCard, ...more }));
}

/** The same, with a service of its own for each test. */
export function useServiceOfEach(
  env: ServiceOptions['env'] = {},
  adaptEngine: ServiceOptions['adaptEngine'] = (engine) => engine,
): TestService {
  return runningBetween(beforeEach, afterEach, () => startService({ env, adaptEngine }));
}

/** Starts services in the tests of the surrounding suite, and stops each after its test. */
export function useServices(): typeof startService {
  const started: TestService[] = [];
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });
  return async (options) => {
    const service = await startService(options);
    started.push(service);
    return service;
  };
}

/** A new owner for each test of the surrounding suite. */
export function useOwner(service: Pick<TestService, 'newOwner'>): Owner {
  return useEach(() => service.newOwner());
}

/** What a service needs beside it, such as a double. */
interface Beside {
  /** Settings with which the service finds it. */
  readonly env: Settings;
  close(): Promise<unknown>;
}

/** As `useService`, with something that is opened before the service and closed after it. @param env further settings */
export function useServiceBeside<T extends Beside>(
  open: () => Promise<T>,
  env: Settings = {},
): [service: TestService, beside: T] {
  let close: () => unknown = () => undefined;
  const keepClose = (hook: () => unknown) => {
    close = hook;
  };
  const beside = between(before, keepClose, open, (opened) => opened?.close());
  const start = () => startService({ env: { ...beside.env, ...env } });
  const stop = (service?: TestService) => Promise.resolve(service?.stop()).finally(() => close());
  return [between(before, after, start, stop), beside];
}

function runningBetween(
  begin: Mocha.HookFunction,
  end: Mocha.HookFunction,
  start: () => Promise<TestService>,
): TestService {
  return between(begin, end, start, (service) => service?.stop());
}

interface Parts {
  readonly clock: TestClock;
  readonly log: Log;
  readonly adaptEngine: (engine: Engine) => Engine;
  readonly drawCard: DrawCard;
  readonly findTitle: FindTitle | undefined;
  readonly openPool: OpenPool;
  readonly sidesMs: number | undefined;
}

async function run(config: Config, parts: Parts, server: Server) {
  const services = await openServices(config, { ...parts, passcodeHasher }).catch((error: unknown) => {
    server.close(); // or it would keep the tests from ending
    throw error;
  });
  const { jobs } = services;
  const thrown: unknown[] = [];
  const start = (handlers: JobHandlers) => jobs.start(recordFailures(handlers, thrown));
  const worker = startWorker({ ...services, jobs: { ...methodsOf(jobs), start } });
  const web = await startWeb(services, server);
  return {
    services,
    /** What job handlers threw. */
    thrown,
    async stop() {
      await web.stop(1_000);
      await worker.stop(1_000);
      await services.close();
    },
  };
}

/** The server keeps idle connections: the client ends them first, so that none is used while it is ended. */
function listenOn(port: number): Promise<Server> {
  const server = createWebServer();
  server.keepAliveTimeout = idleMs;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function keepLines(lines: string[]): Log {
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${inspect(fields, { depth: 8, breakLength: Number.POSITIVE_INFINITY })}`);
  };
  return { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
