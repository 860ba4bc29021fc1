/**
 * Where a server is, for people: never a credential.
 * @param uri the address of one or several, as the configuration has it
 * @returns `a.example:27017, b.example:27018`; `(hidden)` where they can't be told from the credentials for sure
 */
export function hostsOf(uri: string): string {
  const rest = uri.slice(uri.indexOf('//') + 2);
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  const hosts = authority.slice(authority.indexOf('@') + 1);
  const isSure = hosts !== '' && !(hosts + rest.slice(authority.length)).includes('@');
  return isSure ? hosts.split(',').join(', ') : '(hidden)';
}
