import { createHash } from 'node:crypto';
import type { Redis } from './connection.ts';

/** Runs a script: its keys and arguments as texts, its answer as Redis gives it (integers, texts, arrays, null). */
export type Script = (args: readonly string[]) => Promise<unknown>;

/**
 * A script that Redis keeps by its hash; one that does not have it has run nothing, and is sent the whole of it.
 * @param keys all that it touches, or what the names of those begin with: under one hash tag, so on one node
 */
export function createScript(redis: Redis, lua: string, keys: readonly string[]): Script {
  const hash = createHash('sha1').update(lua).digest('hex');

  return async (args) => {
    try {
      return await redis.client.evalsha(hash, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await redis.client.eval(lua, keys.length, ...keys, ...args);
    }
  };
}
