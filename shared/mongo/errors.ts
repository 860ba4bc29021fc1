import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, mongo } from 'mongoose';
import {
  isUnavailable as isUnavailableError,
  type UnavailableReason,
  unavailable,
} from '../domain/errors.ts';
import { methodsOf } from '../util/methods.ts';
import { withTimeout } from '../util/promises.ts';

const conflictAttempts = 10;
const conflictPauseMs = 25;

/** What a server says is wrong with a command, its write concern, or one write of a bulk. */
interface Failure {
  readonly code?: unknown;
  readonly errmsg?: string | undefined;
}

function failuresOf(error: unknown): Failure[] {
  if (!(error instanceof mongo.MongoServerError)) return [];
  const isBulk = error instanceof mongo.MongoBulkWriteError;
  const concern = isBulk ? error.result.getWriteConcernError() : error.writeConcernError;
  return [error, ...(concern ? [concern] : []), ...(isBulk ? [error.writeErrors].flat() : [])];
}

/** DocumentDB passes on PostgreSQL's messages under several codes. */
const serverSays = (codes: readonly unknown[], text?: RegExp) => (error: unknown) =>
  failuresOf(error).some(({ code, errmsg = '' }) => codes.includes(code) || text?.test(errmsg) === true);

/** Codes of mongo/base/error_codes.yml: the server, or the write concern, is not available now. */
const saysUnavailable = serverSays([
  // network errors between servers
  6, 7, 89, 202, 384, 9_001,
  // time limits: MaxTimeMSExpired, WriteConcernTimeout, ExceededTimeLimit
  50, 64, 262,
  // ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange
  91, 11_600, 11_602,
  // PrimarySteppedDown, NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
  189, 10_107, 13_435, 13_436,
  // CursorNotFound (of a lost server), UnsatisfiableWriteConcern, FailedToSatisfyReadPreference
  43, 100, 133,
]);

/** A MongoDB that cannot write its journal exits instead. */
const saysDiskIsFull = serverSays([14_031], /No space left on device|not enough (disk )?space/i);

/** As a standby, or with `default_transaction_read_only`. A replica set has another primary, or none: `saysUnavailable`. */
const saysReadOnly = serverSays([], /in a read-only transaction/i);

/** Because of a concurrent write the server gave up this one. Nothing was written. */
const saysConflict = serverSays([112], /^(deadlock detected|could not serialize access)/);

const unavailableLabels = ['RetryableWriteError', 'SystemOverloadedError', 'HandshakeError'];

/** Driver errors that mean that no server answered. */
const noAnswer = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoServerClosedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
];

/** Errors of commands that were not sent. The driver reports those that it has sent, and itself when it gets no connection. */
const unsentErrors = [
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
];

/** Emitted by a connection, besides mongoose's own events, for each command that was not sent: no server was found in time. */
export const commandNotSent = 'dropleaf:command-not-sent';

/** Whether no server answered within the driver's time limits (the driver sends a read twice). */
function isDown(error: unknown): boolean {
  if (noAnswer.some((type) => error instanceof type)) return true;
  if (!(error instanceof Error)) return false;
  if (error.name === 'MongoPoolClosedError') return true; // the driver does not export this class
  // The driver passes on socket errors of Node as they are.
  const code = 'code' in error && !(error instanceof mongo.MongoError) ? String(error.code) : '';
  return /^E(?!RR_)|^ERR_(SOCKET|STREAM)_/.test(code);
}

/** Whether no answer came in time, which a slow database and a network that loses packets have in common. */
function isLate(error: unknown): boolean {
  if (error instanceof mongo.MongoServerSelectionError) {
    const servers = [...(error.reason?.servers.values() ?? [])];
    return servers.length > 0 && servers.every((server) => isLate(server.error));
  }
  const lateTypes = [mongo.MongoNetworkTimeoutError, mongo.MongoOperationTimeoutError];
  if (lateTypes.some((type) => error instanceof type)) return true;
  return error instanceof Error && error.name === 'MongoWaitQueueTimeoutError'; // the driver does not export this class
}

/** Whether the database is overloaded or without a primary. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof mongo.MongoError)) return false;
  if (unavailableLabels.some((label) => error.hasErrorLabel(label)) || saysUnavailable(error)) return true;
  return error instanceof mongo.MongoServerError && isDown(error.errorResponse);
}

/** What `unavailable` says of an error: the first row that fits. Any other error refuses the command itself, or is a bug. */
const faults: readonly (readonly [
  fits: (error: unknown) => boolean,
  message: string,
  retrySeconds: number,
  reason?: UnavailableReason,
])[] = [
  [
    isLate,
    'Database timeout; a write may still complete. If it had an Idempotency-Key, a repeat with the same key finds it and does it once.',
    1,
    'database_slow',
  ],
  [isDown, 'The database is unavailable.', 1, 'database_unreachable'],
  [isUnavailable, 'The database is unavailable.', 1],
  [saysDiskIsFull, 'The disk of the database is full.', 10, 'disk_full'],
  [saysReadOnly, 'The database does not accept writes.', 10, 'database_read_only'],
  [saysConflict, 'Too many concurrent writes to the same record.', 1],
];

/** DropError `unavailable` for an error of an unavailable database; any other error as it is. */
function toDropError(cause: unknown): unknown {
  const fault = faults.find(([fits]) => fits(cause));
  if (fault === undefined) return cause;
  const [, message, retrySeconds, reason] = fault;
  return unavailable(message, retrySeconds, { cause, isDown: isDown(cause), ...(reason && { reason }) });
}

/**
 * Whether one of these unique indexes (`_id_`: ids; none: any) refused the write, and nothing else failed in a bulk write.
 */
export function isDuplicateOf(error: unknown, ...indexNames: readonly string[]): boolean {
  const [first, ...others] = failuresOf(error);
  const refused = error instanceof mongo.MongoBulkWriteError ? others : [first];
  return (
    refused.length > 0 &&
    refused.every(
      (failure) =>
        failure?.code === 11_000 &&
        (indexNames.length === 0 || indexNames.includes(indexIn(failure.errmsg ?? '') ?? '')),
    )
  );
}

/** The index in `E11000 … index: drops_slug dup key` or DocumentDB's `Index 'drops_slug'`; a user's text may follow it. */
function indexIn(message: string): string | undefined {
  return /\bindex:? '?([^\s']+)/i.exec(message)?.[1];
}

/** The call's result; write conflicts are retried. @throws the error of the last attempt */
export async function retryConflicts<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < conflictAttempts; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!saysConflict(error)) throw error;
      await pause(Math.random() * attempt * conflictPauseMs);
    }
  }
  return await call();
}

/** Time limit for batches and for deletes of many megabytes, which no client waits for. */
const backgroundMs = 60_000;

/** Longer than the election of a primary takes. */
const electionMs = 60_000;
const electionPauseMs = 500;

/** Besides the wait for one answer: pool, retries and a second command. The rest of ANSWER_MS is for the client's answer. */
const overheadMs = 1_000;

/** How long a store's method may take: the driver's wait for one answer (`socketTimeoutMS`) and some overhead. */
export function answerMs(connection: Connection): number {
  const client: mongo.MongoClient | undefined = connection.getClient(); // undefined: not opened yet
  const socketTimeoutMS = client?.options.socketTimeoutMS ?? 0;
  return socketTimeoutMS === 0 ? backgroundMs : socketTimeoutMS + overheadMs;
}

/**
 * The same methods, also of a class, within `answerMs`. Write conflicts are retried, and errors of an unavailable database become DropError
 * `unavailable`: the write may or may not have been done. Other errors pass unchanged.
 */
export function forRequests<T extends object>(connection: Connection, methods: T): T {
  return withTimeLimit(connection, answerMs(connection), methods);
}

/** The same for batches and for deletes of many megabytes, which no client waits for. */
export function inBackground<T extends object>(connection: Connection, methods: T): T {
  return withTimeLimit(connection, backgroundMs, methods);
}

/** One call within the limit of `inBackground`. */
export function inOneMinute<T>(connection: Connection, call: () => Promise<T>): Promise<T> {
  return callWithin(connection, backgroundMs, call);
}

/** Methods of a store that have another time limit than `answerMs`. */
interface OtherLimits<T> {
  /** They have the limit of `inBackground`. */
  readonly ofJobs?: readonly (keyof T)[];
  /** They limit each of their commands themselves. */
  readonly theirOwn?: readonly (keyof T)[];
}

/** The methods of a store, each with its time limit: that of `forRequests`, unless it is named in `others`. */
export function withTimeLimits<T extends object>(
  connection: Connection,
  store: T,
  others: OtherLimits<T>,
): T {
  const limited = forRequests(connection, store);
  const forJobs = inBackground(connection, store);
  const methods = methodsOf(store);
  for (const name of others.ofJobs ?? []) limited[name] = forJobs[name];
  for (const name of others.theirOwn ?? []) limited[name] = methods[name];
  return limited;
}

/** Repeats a call that no client waits for while the database is unavailable, for up to a minute. @throws the last error */
export async function retryWhileUnavailable<T>(connection: Connection, call: () => Promise<T>): Promise<T> {
  const end = performance.now() + electionMs;
  for (;;) {
    try {
      return await inOneMinute(connection, call);
    } catch (error) {
      if (!isUnavailableError(error) || performance.now() > end) throw error;
      await pause(electionPauseMs);
    }
  }
}

/** @see forRequests @param connection emits `commandNotSent` */
export function withTimeLimit<T extends object>(
  connection: Pick<Connection, 'emit'>,
  timeoutMs: number,
  methods: T,
): T {
  // proof: all methods of a store return promises
  const entries = Object.entries(methodsOf(methods)) as [string, (...args: unknown[]) => Promise<unknown>][];
  const limited = entries.map(([name, method]) => {
    const call = (...args: unknown[]) => callWithin(connection, timeoutMs, () => method(...args));
    return [name, call] as const;
  });
  return Object.fromEntries(limited) as T; // proof: each method keeps its name, arguments and result
}

async function callWithin<T>(
  connection: Pick<Connection, 'emit'>,
  timeoutMs: number,
  call: () => Promise<T>,
): Promise<T> {
  const late = () => new mongo.MongoOperationTimeoutError(`no answer within ${timeoutMs} ms`);
  try {
    return await withTimeout(timeoutMs, retryConflicts(call), late);
  } catch (cause) {
    if (unsentErrors.some((type) => cause instanceof type)) connection.emit(commandNotSent);
    throw toDropError(cause);
  }
}
