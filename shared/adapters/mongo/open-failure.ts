import { mongo } from 'mongoose';
import { hostsOf } from '../../util/server-hosts.ts';

/** The server's codes for credentials that are not accepted: AuthenticationFailed, Unauthorized, AtlasError. */
const authCodes = new Set<unknown>([18, 13, 8_000]);

/** What Node says of a connection, in words for the person who starts the service. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'the connection was refused'],
  [/ENOTFOUND|ENODATA|EAI_AGAIN/, 'the host name is unknown'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no way to that host'],
  [/\b(TLS|SSL)\b|certificate|wrong version number|altname/i, 'TLS failed: $'],
  [/timed out|ETIMEDOUT|in time|ETIMEOUT/, 'it did not answer in time'],
  [/ECONNRESET|EPIPE|socket hang up|closed/, 'it closed the connection: is TLS wanted, and is this MongoDB?'],
];

/** One sentence on why MongoDB could not be opened. Credentials are nowhere in it. */
export function tellFailure(uri: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && isOurs(error)) {
    return `MONGODB_URI cannot be used: ${withoutCredentials(message, uri)}`;
  }
  return `MongoDB at ${hostsOf(uri)} cannot be reached: ${reasonOf(error, uri)}`;
}

/** Whether the address itself or its options are at fault. By name: its parser has a MongoParseError of its own. */
function isOurs(error: Error): boolean {
  return ['MongoParseError', 'MongoAPIError', 'MongoInvalidArgumentError'].includes(error.name);
}

function reasonOf(error: unknown, uri: string): string {
  if (error instanceof mongo.MongoError && authCodes.has(error.code))
    return 'the credentials were not accepted';
  const message = messagesOf(error).join('; ');
  const known = reasons.find(([pattern]) => pattern.test(message))?.[1];
  const openSsl = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]; // the words between its places in the source
  return (known ?? '$').replace('$', () => withoutCredentials(openSsl ?? message, uri));
}

/** A failure to find a server has the reason in the description of each. */
function messagesOf(error: unknown): string[] {
  const messages = new Set<string>([error instanceof Error ? error.message : String(error)]);
  const { reason } = error as { reason?: { servers?: unknown } }; // proof: whatever is there is looked at first
  if (reason?.servers instanceof Map) {
    for (const { error: why } of reason.servers.values()) if (why instanceof Error) messages.add(why.message);
  }
  return [...messages];
}

/** Takes out the user and the password, as written and as meant. */
function withoutCredentials(text: string, uri: string): string {
  const credentials = /^[^/]*\/\/(.*)@/.exec(uri)?.[1] ?? '';
  const words = credentials.split(':').flatMap((word) => [word, decoded(word)]);
  return [credentials, ...words].filter(Boolean).reduce((told, word) => told.replaceAll(word, '…'), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded, which the driver refuses anyway
  }
}
