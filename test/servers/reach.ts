import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { hostsOf } from '../../shared/util/server-hosts.ts';
import type { Keeper } from './keepers.ts';

export interface Addresses {
  readonly mongodbUri: string;
  readonly redisUrl: string;
}

/** @returns where servers of 127.0.0.1 are reached that ask for no credentials */
export function onThisMachine(mongodbPort: number | undefined, redisPort: number | undefined): Addresses {
  return {
    mongodbUri: `mongodb://127.0.0.1:${mongodbPort}/dropleaf-test`,
    redisUrl: `redis://127.0.0.1:${redisPort}`,
  };
}

/**
 * Asks both servers something that only those may ask who may use them.
 * @param timeoutMs how long each may take to answer
 * @returns what is wrong, without credentials, or null
 */
export async function findFault(
  { mongodbUri, redisUrl }: Addresses,
  timeoutMs: number,
): Promise<string | null> {
  const faults = await Promise.all([
    askMongodb(mongodbUri, timeoutMs).then(nothing, describe('MONGODB_URI', mongodbUri)),
    askRedis(redisUrl, timeoutMs).then(nothing, describe('REDIS_URL', redisUrl)),
  ]);
  return faults.filter((fault) => fault !== null).join('; ') || null;
}

/**
 * Waits until servers that are being started answer.
 * @param keeper what starts them; when it ends they won't come
 * @returns what is wrong, or null once both answer
 */
export async function awaitAnswers(
  addresses: Addresses,
  keeper: Keeper,
  timeoutMs: number,
): Promise<string | null> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const fault = await findFault(addresses, 1_000);
    if (fault === null) return null;
    if (!keeper.isRunning()) return keeper.lastWords() || 'they ended at once, without a word';
    if (performance.now() > until) return `${fault}\n${keeper.lastWords()}`;
    await pause(50);
  }
}

async function askMongodb(uri: string, timeoutMs: number): Promise<void> {
  const connection = mongoose.createConnection(uri, {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
  });
  try {
    await connection.asPromise();
    await connection.listCollections();
  } finally {
    await connection.close(true);
  }
}

async function askRedis(url: string, timeoutMs: number): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    ...(process.env.REDIS_TLS_REJECT_UNAUTHORIZED === 'false' && { tls: { rejectUnauthorized: false } }),
  });
  let reason: unknown;
  redis.on('error', (error) => {
    reason ??= error; // `connect` only says that the connection is closed
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

const nothing = () => null;

/** The name of the setting, the address and the reason: never a user, a password or an address's options. */
function describe(setting: string, address: string): (error: unknown) => string {
  const credentials = /:\/\/(.*)@/s.exec(address)?.[1] ?? '';
  const secrets = [address, credentials, ...credentials.split(':')].filter((text) => text !== '');
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const reason = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
    return `${setting}: ${hostsOf(address)} does not serve: ${reason || 'no answer'}`;
  };
}
