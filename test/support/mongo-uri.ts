import { randomBytes } from 'node:crypto';

/** The server of `MONGODB_URI`, and the name of a database that is not there yet. */
export function newMongoUri(): string {
  const uri = process.env.MONGODB_URI;
  if (!uri)
    throw new Error('MONGODB_URI is unset: these tests need a server, like mongodb://127.0.0.1:27017');
  const name = `dropleaf_test_${randomBytes(6).toString('hex')}`;
  return uri.replace(/^([^/]*\/\/[^/?]*)(\/[^?]*)?/, `$1/${name}`);
}

/** The same, for machines that are slow and for hundreds of calls at once: what is late is no failure. */
export function withLongTimeouts(uri: string, ms = 15_000): string {
  const bounds = ['connect', 'socket', 'waitQueue'].map((what) => `${what}TimeoutMS=${ms}`);
  return `${uri}${uri.includes('?') ? '&' : '?'}${bounds.join('&')}`;
}
