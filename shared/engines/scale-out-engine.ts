import type { Config } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { RedisJobQueue } from '../jobs/redis.ts';
import { MemoryRateLimiter } from '../limits/memory.ts';
import { RedisRateLimiter } from '../limits/redis.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Mongo, openMongo } from '../mongo/connection.ts';
import { requireDataForm } from '../mongo/data-form.ts';
import { findMissing, migrate } from '../mongo/migrate.ts';
import { createReadiness } from '../mongo/readiness.ts';
import { createMongoStores } from '../mongo/stores.ts';
import { RedisPageChanges } from '../pages/redis.ts';
import { openRedis } from '../redis/connection.ts';
import { hostsOf } from '../util/error-texts.ts';
import { RedisViews } from '../views/redis.ts';
import type { Engine } from './engine.ts';

type ScaleOutConfig = Pick<
  Config,
  | 'MONGODB_URI'
  | 'MONGODB_CONNECTIONS'
  | 'REDIS_URL'
  | 'REDIS_PREFIX'
  | 'REDIS_TLS_REJECT_UNAUTHORIZED'
  | 'JOBS_AT_ONCE'
  | 'JOB_LOCK_SECONDS'
  | 'JOB_STALL_SECONDS'
>;

export interface ScaleOutEngine extends Engine {
  /** Loads web pages that show the job queue to operators. */
  readonly jobBoard: RedisJobQueue['board'];
}

interface Deps {
  readonly config: ScaleOutConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'stores'> | null;
}

/**
 * MongoDB, which must be available and migrated; Redis, which may be down. @throws Error of one sentence without credentials
 */
export async function openScaleOutEngine(deps: Deps): Promise<ScaleOutEngine> {
  const { config, log, metrics } = deps;
  const mongo = await openMongo({
    uri: config.MONGODB_URI,
    maxConnections: config.MONGODB_CONNECTIONS,
    onCommand: metrics?.stores.mongoCommand,
    log,
  });
  try {
    await checkMigrated(mongo);
    return await withRedis(mongo, deps);
  } catch (error) {
    await mongo.close();
    throw error;
  }
}

/** Creates missing collections and indexes, also beside a running service. @throws Error of one sentence, no credentials */
export async function migrateScaleOutEngine(config: Pick<Config, 'MONGODB_URI'>, log: Log): Promise<void> {
  const mongo = await openMongo({ uri: config.MONGODB_URI, maxConnections: 2, log, isMigration: true });
  try {
    await migrate(mongo, log);
  } finally {
    await mongo.close();
  }
}

async function withRedis(mongo: Mongo, { config, clock, log, metrics }: Deps): Promise<ScaleOutEngine> {
  const memoryIsFull =
    'the memory of Redis is full (maxmemory), so it refuses writes: pages and publishing continue, jobs and counted views wait, and ' +
    'each process counts limits for itself. Raise maxmemory; the service then continues by itself';
  const redis = await openRedis({
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    rejectUnauthorized: config.REDIS_TLS_REJECT_UNAUTHORIZED,
    onCommand: metrics?.stores.redisCommand,
    onOutOfMemory: () => log.warn({ redis: hostsOf(config.REDIS_URL) }, memoryIsFull),
    log,
  });
  const jobs = new RedisJobQueue({
    redis,
    log,
    concurrency: config.JOBS_AT_ONCE,
    lockMs: config.JOB_LOCK_SECONDS * 1_000,
    stallMs: config.JOB_STALL_SECONDS * 1_000,
  });
  const { viewTotals, processRegistry, ...stores } = createMongoStores(mongo.connection, clock);
  const pageChanges = new RedisPageChanges({
    redis,
    registry: processRegistry,
    onLateNotice: (err) => log.warn({ err }, 'a change waited 1.1 s: not every process confirmed its notice'),
  });
  return {
    ...stores,
    views: new RedisViews(redis, viewTotals),
    rateLimiter: new RedisRateLimiter(redis, new MemoryRateLimiter(), log),
    pageChanges,
    jobs,
    jobBoard: (options) => jobs.board(options),
    urgently: (act) => act(),
    ready: createReadiness(mongo.connection, processRegistry, clock),
    async close() {
      try {
        await Promise.all([jobs.close(), pageChanges.close()]);
      } finally {
        await Promise.all([redis.close(), mongo.close()]);
      }
    },
  };
}

async function checkMigrated(mongo: Mongo): Promise<void> {
  const missing = await findMissing(mongo);
  if (missing.length === 0) return requireDataForm(mongo.connection);
  const [first = '', ...others] = missing;
  const what = others.length > 0 ? `${first} and ${others.length} more` : first;
  throw new Error(`MongoDB lacks collections or indexes (${what}): run "bin/dropleaf.js migrate" first`);
}
