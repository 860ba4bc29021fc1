import { setTimeout as pause } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { unavailable } from '../../domain/errors.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import { isAway, isDown } from './is-away.ts';

const duplicateKey = 11_000;

/**
 * Whether the write was refused because another document has its key in that unique index (`_id_` for the ids).
 * Of a bulk write: whether all that went wrong in it is that.
 */
export function isDuplicateOf(error: unknown, indexName: string): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  if (!(error instanceof mongo.MongoBulkWriteError)) return isDuplicate(error, indexName);
  const faults = [error.writeErrors].flat();
  const isAllWritten = error.result.getWriteConcernError() === undefined;
  return isAllWritten && faults.length > 0 && faults.every((fault) => isDuplicate(fault, indexName));
}

function isDuplicate(fault: { code?: unknown; errmsg?: string | undefined }, indexName: string): boolean {
  return fault.code === duplicateKey && indexNamed(fault.errmsg ?? '') === indexName;
}

/**
 * The index that a duplicate is told of: `E11000 … collection: x.drops index: drops_slug dup key: …` by MongoDB,
 * `Duplicate key … Index 'drops_slug'` by DocumentDB. Only the first counts: what follows may be a user's text.
 */
function indexNamed(message: string): string | undefined {
  return /\bindex:? '?([^\s']+)/i.exec(message)?.[1];
}

const writeConflict = 112;

/** PostgreSQL's own words, which DocumentDB passes on under several codes. */
const postgresConflict = /^(deadlock detected|could not serialize access)/;

const attempts = 5;
const pauseMs = 25;

/** Whether the server gave the write up as it and another one stood in each other's way. Nothing was done. */
function isContended(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  const faults = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error, ...faults].some(
    ({ code, errmsg = '' }) => code === writeConflict || postgresConflict.test(errmsg),
  );
}

/**
 * The store, with each failure to reach the database turned into `unavailable`, so too an answer that takes
 * longer than `waitAtMost`: after either it is unknown whether a write was done. Only where the driver's own bounds
 * ended without any answer does the error say that the database is down; `waitAtMost` alone cannot tell that from a
 * slow database. A write that met another one is repeated. Other errors stay as they are.
 */
export function translated<T extends object>(waitAtMost: number, store: T): T {
  // proof: a port's methods all return promises
  const methods = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
  const translatedMethods = methods.map(([name, method]) => {
    return [name, (...args: unknown[]) => translate(() => method.apply(store, args), waitAtMost)] as const;
  });
  return Object.fromEntries(translatedMethods) as T; // proof: each name with its method's arguments and result
}

async function translate<T>(call: () => Promise<T>, waitAtMost: number): Promise<T> {
  try {
    return await withTimeout(waitAtMost, untilUncontended(call), () =>
      unavailable('The data takes too long to come.'),
    );
  } catch (error) {
    if (isAway(error))
      throw unavailable('The data cannot be reached right now.', 1, { cause: error, isDown: isDown(error) });
    if (isContended(error))
      throw unavailable('The data is too busy to be changed right now.', 1, { cause: error });
    throw error;
  }
}

/** What the call comes to, repeated where it met another one. @throws at the fifth time what it throws */
export async function untilUncontended<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < attempts; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isContended(error)) throw error;
      await pause(Math.random() * attempt * pauseMs); // not all of them at the same time again
    }
  }
  return await call();
}
