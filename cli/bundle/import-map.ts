import { isLocal, resolveAddress } from './folder.ts';

/** null: the import is refused. */
type Addresses = Map<string, URL | null>;

/** The import maps of a page as one: of two that say the same name, the first counts (HTML standard, 8.1.6.2). */
export class ImportMap {
  readonly #imports: Addresses = new Map();
  readonly #scopes = new Map<string, Addresses>();

  /** @param base of the document @returns whether it is one */
  add(text: string, base: URL): boolean {
    const map = readObject(text);
    if (map === null) return false;
    addAddresses(this.#imports, map.imports, base);
    for (const [scope, names] of Object.entries(asObject(map.scopes))) {
      const prefix = resolveAddress(scope, base)?.href;
      if (prefix === undefined) continue;
      const addresses = this.#scopes.get(prefix) ?? new Map();
      this.#scopes.set(prefix, addresses);
      addAddresses(addresses, names, base);
    }
    return true;
  }

  /** Where a module finds another one. null: nowhere */
  resolve(specifier: string, importer: URL): URL | null {
    const url = urlOf(specifier, importer);
    const name = url?.href ?? specifier;
    const scopes = [importer.href, ...prefixesOf(importer.href)].map((scope) => this.#scopes.get(scope));
    for (const addresses of [...scopes, this.#imports]) {
      if (addresses === undefined) continue;
      const found = find(addresses, name, url);
      if (found !== undefined) return found;
    }
    return url;
  }

  /** The files of the folder that names outside of all scopes lead to; `/` at the end of a name stands for many. */
  *localFiles(): Generator<[name: string, url: URL]> {
    for (const [name, url] of this.#imports)
      if (url !== null && isLocal(url) && !name.endsWith('/')) yield [name, url];
  }

  /** With all that leads to other sites. @param local the addresses of files of the folder, by their names */
  write(local: Readonly<Record<string, string>>): string {
    const scopes = [...this.#scopes]
      .filter(([scope]) => !isLocal(new URL(scope)))
      .map(([scope, addresses]) => [scope, elsewhere(addresses)]);
    const map = {
      imports: { ...elsewhere(this.#imports), ...local },
      ...(scopes.length > 0 && { scopes: Object.fromEntries(scopes) }),
    };
    return JSON.stringify(map);
  }
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const map: unknown = JSON.parse(text);
    return typeof map === 'object' && map !== null ? asObject(map) : null;
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function addAddresses(addresses: Addresses, names: unknown, base: URL): void {
  for (const [name, address] of Object.entries(asObject(names))) {
    const key = urlOf(name, base)?.href ?? name;
    if (name === '' || addresses.has(key)) continue;
    const url = typeof address === 'string' ? urlOf(address, base) : null;
    addresses.set(key, name.endsWith('/') && !url?.href.endsWith('/') ? null : url);
  }
}

/** Of what is written like an address; null: it is a bare name. */
function urlOf(text: string, base: URL): URL | null {
  if (/^\.{0,2}\//.test(text)) return resolveAddress(text, base);
  return URL.canParse(text) ? new URL(text) : null;
}

/** By the longest prefix. @returns undefined: the map says nothing of it */
function find(addresses: Addresses, name: string, url: URL | null): URL | null | undefined {
  if (addresses.has(name)) return addresses.get(name);
  if (url !== null && !/^(?:https?|file|wss?|ftp):$/.test(url.protocol)) return undefined;
  for (const prefix of prefixesOf(name)) {
    const start = addresses.get(prefix);
    if (start !== undefined) return start && resolveAddress(name.slice(prefix.length), start);
  }
  return undefined;
}

/** UTF-16 units: no map has prefixes of longer names. */
const maxName = 4096;

/** Up to each `/`, the longest first. */
function* prefixesOf(name: string): Generator<string> {
  if (name.length > maxName) return;
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1))
    yield name.slice(0, end + 1);
}

function elsewhere(addresses: Addresses): Record<string, string | null> {
  const kept = [...addresses].filter(([name, url]) => !isLocalName(name) && !(url !== null && isLocal(url)));
  return Object.fromEntries(kept.map(([name, url]) => [name, url?.href ?? null]));
}

function isLocalName(name: string): boolean {
  return URL.canParse(name) && isLocal(new URL(name));
}
