/** Where Redis is, and who asks. */
export interface RedisAddress {
  /** `host:port`, for people: never with credentials. */
  readonly shown: string;
  readonly options: {
    readonly host: string;
    readonly port: number;
    readonly db: number;
    readonly username?: string;
    readonly password?: string;
    readonly tls?: { readonly servername: string; readonly rejectUnauthorized: boolean };
  };
}

/**
 * @param url `redis://user:password@host:port/database`, or `rediss://` for TLS; all but the host may be left out
 * @param rejectUnauthorized whether a certificate that is not trusted ends the connection
 * @throws Error that names what is wrong and never the address itself, which may hold a password
 */
export function readRedisUrl(url: string, rejectUnauthorized: boolean): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isTls = parsed?.protocol === 'rediss:';
  if (parsed === null || parsed.hostname === '' || (!isTls && parsed.protocol !== 'redis:')) {
    throw new Error('The address of Redis must be like redis://host:6379 or rediss://host:6379.');
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1'); // an IPv6 address
  const port = parsed.port === '' ? 6379 : Number(parsed.port);
  return {
    shown: `${parsed.hostname}:${port}`,
    options: {
      host,
      port,
      db: readDatabase(parsed.pathname),
      ...(parsed.username === '' ? {} : { username: decoded(parsed.username) }),
      ...(parsed.password === '' ? {} : { password: decoded(parsed.password) }),
      ...(isTls ? { tls: { servername: isAddress(host) ? '' : host, rejectUnauthorized } } : {}),
    },
  };
}

function readDatabase(path: string): number {
  const name = path.replace(/^\//, '');
  if (/^\d{0,9}$/.test(name)) return Number(name);
  throw new Error('The address of Redis must end with the number of a database, or with none.');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('The user and the password in the address of Redis must be percent-encoded.');
  }
}

/** Server names in TLS are never addresses (RFC 6066, section 3). */
function isAddress(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}
