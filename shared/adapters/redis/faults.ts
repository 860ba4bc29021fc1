import { ReplyError } from 'ioredis';
import { DropError, unavailable } from '../../domain/errors.ts';

/** What a server says about itself and not about the command: the same command will do later. */
const passing =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNBLOCKED|NOAUTH|WRONGPASS)\b|READONLY You/;

/** What ioredis says of a connection, in errors that have no class of their own; the last is of a broken answer. */
const lost =
  /^(Command timed out|Command aborted|Connection is closed|Reached the max retries|Stream isn't writeable|Socket timeout)|Please report this/;

/** One that a waiting command meets when a failover has made its server a replica. */
const demoted = /^UNBLOCKED\b|READONLY You/;

/** Whether the server has become a replica, so that another connection may lead to the new primary. */
export function isDemoted(error: Error): boolean {
  return demoted.test(error.message);
}

/** True for a lost connection, a late answer, and a server that serves nobody now; false for a refused command. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ReplyError) return passing.test(error.message);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return lost.test(error.message) || /^E(?!RR_)/.test(code);
}

/** True only where the command never left this process. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}

/** The error as it may be logged: ioredis hangs the command on it, whose arguments may be secret, or many. */
export function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error) || !('command' in error)) return error;
  const plain = new Error(error.message);
  plain.name = error.name;
  return plain;
}

/** What to throw for a failed command: DropError `unavailable` where Redis is away, else the error itself. */
export function translated(error: unknown): unknown {
  if (error instanceof DropError) return error;
  const cause = withoutCommand(error);
  return isAway(error) ? unavailable('Redis is away.', 1, { cause }) : cause;
}

/**
 * What is wrong for good with the address or the server, in one sentence; null for what may pass.
 * @param server `host:port`
 */
export function findMisconfiguration(error: Error, server: string): string | null {
  const code = 'code' in error ? String(error.code) : '';
  const found = misconfigurations.find(({ sign }) => sign.test(error.message) || sign.test(code));
  return found === undefined ? null : found.sentence(server, code);
}

const misconfigurations: { sign: RegExp; sentence: (server: string, code: string) => string }[] = [
  {
    sign: /^WRONGPASS|invalid password|invalid username-password/i,
    sentence: (server) => `Redis at ${server} refuses the user or the password.`,
  },
  { sign: /^NOAUTH/, sentence: (server) => `Redis at ${server} wants a password, and its address has none.` },
  {
    sign: /DB index is out of range|invalid DB index|SELECT is not allowed/i,
    sentence: (server) => `Redis at ${server} has no database of that number.`,
  },
  {
    sign: /^(CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/,
    sentence: (server, code) =>
      `The certificate of Redis at ${server} is not trusted (${code}); where the platform signs its own, set REDIS_TLS_REJECT_UNAUTHORIZED=false.`,
  },
  {
    sign: /wrong version number|packet length too long|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/i,
    sentence: (server) => `The server at ${server} does not speak TLS: its address begins with redis://.`,
  },
  {
    sign: /Unknown RESP type/,
    sentence: (server) => `The server at ${server} is no Redis, or it speaks TLS (rediss://).`,
  },
];
