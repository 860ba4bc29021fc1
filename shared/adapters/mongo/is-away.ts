import { mongo } from 'mongoose';

/** Errors of the driver and of Mongoose for a server that is away, has lost its role, or lets one wait too long. */
const awayNames = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoNotConnectedError',
]);

/** The server's codes for the same: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const awayCodes = new Set<unknown>([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server that had it is gone
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout: the write may stand, or be undone by another primary
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  317, // ConnectionPoolExpired
  384, // ConnectionError
  9_001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** Node's codes, of errors that the driver passes on as they are where a command meets a socket that is closing. */
const socketCodes = new Set<unknown>([
  'ECONNRESET',
  'ECONNABORTED',
  'ECONNREFUSED',
  'EPIPE',
  'ENOTCONN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** What driver and server put on such errors besides. */
const awayLabels = ['RetryableWriteError', 'SystemOverloadedError', 'HandshakeError'];

/** Mongoose's own, without a name or a code. */
const awayMessage = /buffering timed out|before initial connection is complete|Connection was force closed/;

/** Whether the error says that the database is away or overloaded, and nothing about what was asked of it. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (awayNames.has(error.name)) return true;
  if (error.name === 'MongooseError') return awayMessage.test(error.message);
  if (!(error instanceof mongo.MongoError)) return 'code' in error && socketCodes.has(error.code);
  if (awayLabels.some((label) => error.hasErrorLabel(label))) return true;
  if (codesOf(error).some((code) => awayCodes.has(code))) return true;
  return error instanceof mongo.MongoServerError && isAway(error.errorResponse); // a bulk write's: what stopped it
}

/** Of these errors, those that come of waiting for the pool or for an answer: the server may be up and slow. */
const lateNames = new Set(['MongoWaitQueueTimeoutError', 'MongoOperationTimeoutError']);

/**
 * Whether the error, one that `isAway` is true for, says that no server answered at all within the driver's bounds.
 * The driver has sent a read twice by then. What the server itself says is an answer.
 */
export function isDown(error: unknown): boolean {
  return error instanceof Error && !(error instanceof mongo.MongoServerError) && !lateNames.has(error.name);
}

/** A bulk write has one for each write that was refused, and tells of the write concern only beside them. */
function codesOf(error: mongo.MongoError): unknown[] {
  if (error instanceof mongo.MongoBulkWriteError) {
    const refused = [error.writeErrors].flat().map(({ code }) => code);
    return [error.code, error.result.getWriteConcernError()?.code, ...refused];
  }
  return error instanceof mongo.MongoServerError ? [error.code, error.writeConcernError?.code] : [error.code];
}
