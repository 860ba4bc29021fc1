import { ReplyError } from 'ioredis';
import { DropError, unavailable } from '../domain/errors.ts';

/** Replies about the state of the server: the same command may succeed later. */
const temporaryReply =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNBLOCKED)\b|READONLY You/;

/** Also temporary once the service runs: an operator is changing the password. */
const refusedLogin = /^(NOAUTH|WRONGPASS)\b/;

/** Connection errors for which ioredis has no class. The last one follows an answer that is not Redis. */
const connectionError =
  /^(Command timed out|Command aborted|Connection is closed|Reached the max retries|Stream isn't writeable|Socket timeout)|Please report this/;

/** Of an error in the schedule of a job, BullMQ's worker keeps the message alone: class and code are lost. */
const scheduleError = /^Failed to add repeatable job for next iteration: (.*)/s;
const socketError = /^(connect|read|write|getaddrinfo) E[A-Z]/;

/** Whether a failover has made the server a replica: a new connection leads to the new primary. */
export function isDemoted(error: Error): boolean {
  return /^UNBLOCKED\b|READONLY You/.test(error.message);
}

/** Whether the server is a replica, which refuses writes. A script puts words before the reply. */
export function isReadOnly(error: Error): boolean {
  return error.message.includes('READONLY You');
}

/** Whether the server refuses writes because its memory (`maxmemory`) is full. BullMQ puts words before the reply. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /\bOOM command not allowed/.test(error.message);
}

/** True for a lost connection, a timeout and a server that accepts no commands now; false for a refused command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isOutOfMemory(error)) return true;
  const cause = scheduleError.exec(error.message)?.[1];
  if (cause !== undefined)
    return [connectionError, socketError, temporaryReply].some((known) => known.test(cause));
  if (error instanceof ReplyError) {
    return temporaryReply.test(error.message) || refusedLogin.test(error.message);
  }
  return connectionError.test(error.message) || ('code' in error && /^E(?!RR_)/.test(String(error.code)));
}

/** The error without ioredis's `command` property, whose arguments may be secret or large: for logs. */
export function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error) || !('command' in error)) return error;
  const copy = new Error(error.message);
  copy.name = error.name;
  return copy;
}

/** For `Redis.explain`, which also reports a full memory. */
export function toDropError(error: unknown): unknown {
  if (error instanceof DropError) return error;
  const cause = withoutCommand(error);
  if (!isRedisUnavailable(error)) return cause;
  return unavailable('Redis is unavailable.', 1, { cause, isReported: isOutOfMemory(error) });
}

/** One sentence about an error that retrying does not fix; null for any other. @param server `host:port` */
export function findMisconfiguration(error: Error, server: string): string | null {
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof ReplyError && !temporaryReply.test(error.message)) {
    return `Redis at ${server} refuses the user, password or database number in REDIS_URL: ${error.message}`;
  }
  if (/^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code)) {
    return `The certificate of Redis at ${server} is not trusted (${code}); to accept a self-signed certificate, set REDIS_TLS_REJECT_UNAUTHORIZED=false`;
  }
  if (/wrong version number|packet length too long/i.test(error.message)) {
    return `Redis at ${server} does not use TLS: REDIS_URL must begin with redis://`;
  }
  if (error.message.includes('Unknown RESP type')) {
    return `The server at ${server} (REDIS_URL) is not Redis, or it requires TLS (rediss://)`;
  }
  return null;
}
