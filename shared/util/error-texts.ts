/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The hosts of a URI: `a.example:27017, b.example:27018`; `(hidden)` if an unescaped `@` leaves the credentials unclear */
export function hostsOf(uri: string): string {
  const rest = uri.slice(uri.indexOf('//') + 2);
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  const hosts = authority.slice(authority.indexOf('@') + 1);
  const isCertain = hosts !== '' && !(hosts + rest.slice(authority.length)).includes('@');
  return isCertain ? hosts.split(',').join(', ') : '(hidden)';
}
