import { setTimeout as pause } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { type DropError, unavailable } from '../domain/errors.ts';
import { withTimeout } from '../util/wait-at-most.ts';

const duplicateKey = 11_000;
const writeConflict = 112;

/** DocumentDB passes on PostgreSQL's messages under several codes. */
const postgresConflict = /^(deadlock detected|could not serialize access)/;

const outOfDiskSpace = 14_031;
/** PostgreSQL's message, passed on by DocumentDB, and those of MongoDB's storage engine. */
const noSpace = /No space left on device|not enough (disk )?space/i;

/** PostgreSQL's message as a standby, or with `default_transaction_read_only`, passed on by DocumentDB. */
const readOnly = /cannot execute .* in a read-only transaction/i;

const conflictAttempts = 10;
const conflictPauseMs = 25;

/** Driver errors that mean that no server answered. */
const noAnswer = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoServerClosedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
];

/** Codes with which a server says that it, or the write concern, is not available now (mongo/base/error_codes.yml). */
const unavailableCodes = new Set<unknown>([
  ...[6, 7, 89, 202, 384, 9_001], // network errors between servers
  ...[50, 64, 262], // time limits: MaxTimeMSExpired, WriteConcernTimeout, ExceededTimeLimit
  ...[91, 11_600, 11_602], // ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange
  ...[189, 10_107, 13_435, 13_436], // PrimarySteppedDown, NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
  ...[43, 100, 133], // CursorNotFound (of a lost server), UnsatisfiableWriteConcern, FailedToSatisfyReadPreference
]);

const unavailableLabels = ['RetryableWriteError', 'SystemOverloadedError', 'HandshakeError'];

/**
 * Whether one of the unique indexes refused the write (`_id_` is the index of ids).
 * For a bulk write: whether nothing else went wrong in it.
 */
export function isDuplicateOf(error: unknown, ...indexNames: readonly string[]): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  const isDuplicate = ({ code, errmsg = '' }: { code?: unknown; errmsg?: string | undefined }) =>
    code === duplicateKey && indexNames.includes(indexIn(errmsg) ?? '');
  if (!(error instanceof mongo.MongoBulkWriteError)) return isDuplicate(error);
  const refused = writeErrorsOf(error);
  return (
    refused.length > 0 && refused.every(isDuplicate) && error.result.getWriteConcernError() === undefined
  );
}

/**
 * The index in `E11000 … index: drops_slug dup key: …` (MongoDB) or `Duplicate key … Index 'drops_slug'`
 * (DocumentDB). Only the first match counts: the rest of the message may be a user's text.
 */
function indexIn(message: string): string | undefined {
  return /\bindex:? '?([^\s']+)/i.exec(message)?.[1];
}

function writeErrorsOf(error: mongo.MongoServerError): mongo.WriteError[] {
  return error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
}

/** Whether no server answered within the driver's time limits (the driver sends a read twice). */
export function isMongoDown(error: unknown): boolean {
  if (noAnswer.some((type) => error instanceof type)) return true;
  if (!(error instanceof Error)) return false;
  if (error.name === 'MongoPoolClosedError') return true; // the driver does not export this class
  // The driver passes on socket errors of Node as they are.
  const code = 'code' in error && !(error instanceof mongo.MongoError) ? String(error.code) : '';
  return /^E(?!RR_)|^ERR_(SOCKET|STREAM)_/.test(code);
}

/** Whether no answer came in time, which a slow database and a network that loses packets have in common. */
function isMongoLate(error: unknown): boolean {
  if (error instanceof mongo.MongoServerSelectionError) {
    const servers = [...(error.reason?.servers.values() ?? [])];
    return servers.length > 0 && servers.every((server) => isMongoLate(server.error));
  }
  const lateTypes = [mongo.MongoNetworkTimeoutError, mongo.MongoOperationTimeoutError];
  if (lateTypes.some((type) => error instanceof type)) return true;
  return error instanceof Error && error.name === 'MongoWaitQueueTimeoutError'; // the driver does not export this class
}

/** Whether the database is down, overloaded or without a primary; false if it refused the command itself. */
export function isMongoUnavailable(error: unknown): boolean {
  if (isMongoDown(error)) return true;
  if (!(error instanceof mongo.MongoError)) return false;
  if (isMongoLate(error)) return true;
  if (unavailableLabels.some((label) => error.hasErrorLabel(label))) return true;
  if (!(error instanceof mongo.MongoServerError)) return false;
  const concern =
    error instanceof mongo.MongoBulkWriteError
      ? error.result.getWriteConcernError()
      : error.writeConcernError;
  const failures = [error, concern, ...writeErrorsOf(error)];
  return failures.some((failure) => unavailableCodes.has(failure?.code)) || isMongoDown(error.errorResponse);
}

/** Whether the server has no space left. A MongoDB that cannot write its journal ends instead. */
function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  return [error, ...writeErrorsOf(error)].some(
    ({ code, errmsg = '' }) => code === outOfDiskSpace || noSpace.test(errmsg),
  );
}

/** Whether the server accepts no writes at all. A replica set has another primary, or none, which is `isMongoUnavailable`. */
function isReadOnly(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  return [error, ...writeErrorsOf(error)].some(({ errmsg = '' }) => readOnly.test(errmsg));
}

/** Whether the server gave up the write because of a concurrent one. Nothing was written. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerError)) return false;
  return [error, ...writeErrorsOf(error)].some(
    ({ code, errmsg = '' }) => code === writeConflict || postgresConflict.test(errmsg),
  );
}

/** The call's result; write conflicts are retried. @throws the error of the last attempt */
export async function retryConflicts<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < conflictAttempts; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isConflict(error)) throw error;
      await pause(Math.random() * attempt * conflictPauseMs);
    }
  }
  return await call();
}

/**
 * The same methods with a time limit. Write conflicts are retried, and errors of an unavailable database become
 * DropError `unavailable`: the write may or may not have been done. Other errors pass unchanged.
 */
export function withTimeLimit<T extends object>(timeoutMs: number, methods: T): T {
  // proof: all methods of a store return promises
  const entries = Object.entries(methods) as [string, (...args: unknown[]) => Promise<unknown>][];
  const limited = entries.map(([name, method]) => {
    return [name, (...args: unknown[]) => limit(timeoutMs, () => method.apply(methods, args))] as const;
  });
  return Object.fromEntries(limited) as T; // proof: each method keeps its name, arguments and result
}

async function limit<T>(timeoutMs: number, call: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(timeoutMs, retryConflicts(call), () => late({}));
  } catch (cause) {
    if (isMongoLate(cause)) throw late({ cause, isDown: isMongoDown(cause) });
    if (isMongoDown(cause))
      throw unavailable('The database is unavailable.', 1, {
        cause,
        isDown: true,
        reason: 'database_unreachable',
      });
    if (isMongoUnavailable(cause)) throw unavailable('The database is unavailable.', 1, { cause });
    if (isOutOfSpace(cause))
      throw unavailable('The disk of the database is full.', 10, { cause, reason: 'disk_full' });
    if (isReadOnly(cause))
      throw unavailable('The database does not accept writes.', 10, { cause, reason: 'database_read_only' });
    if (isConflict(cause)) throw unavailable('Too many concurrent writes to the same record.', 1, { cause });
    throw cause;
  }
}

function late(options: { readonly cause?: unknown; readonly isDown?: boolean }): DropError {
  const message = 'Database timeout; a write may still complete.';
  return unavailable(message, 1, { ...options, reason: 'database_slow' });
}
