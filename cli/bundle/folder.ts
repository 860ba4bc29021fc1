import { constants } from 'node:fs';
import { open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import querystring from 'node:querystring';
import { errorCode, fileFault } from '../faults.ts';
import { maxReadBytes, readAtMost } from '../read-at-most.ts';
import { mediaTypeOf } from './media-type.ts';

/** A file in the folder of a page. */
export interface LocalFile {
  /** Below the folder, with `/`. */
  readonly path: string;
  /** Addresses in it are relative to this one. */
  readonly url: URL;
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Why a page cannot have a file. */
export interface Fault {
  readonly fault: string;
}

const origin = 'http://folder.invalid';
/** Below it, so that `..` is seen to lead out. */
const top = `${origin}/folder/`;

/** The address of a file in the folder. */
export function urlOf(path: string): URL {
  return new URL(path.split('/').map(encodeURIComponent).join('/'), top);
}

/** As a browser resolves it. null: it is no address */
export function resolveAddress(text: string, base: URL): URL | null {
  if (!URL.canParse(text, base.href)) return null;
  const url = new URL(text, base);
  // Sites are written for the root of a host: here that is the folder.
  const isRooted = url.origin === origin && /^[/\\]/.test(text);
  return isRooted ? new URL(`.${url.pathname}${url.search}${url.hash}`, top) : url;
}

/** Whether a file of the folder, or another of this computer, has the address. */
export function isLocal(url: URL): boolean {
  return url.origin === origin || /^(?:file|[a-z]):$/.test(url.protocol); // `C:` is a disk
}

/** Where an address leads, as a browser would take it. null: to another site, into the document itself, or nowhere. */
export function resolveLocal(address: string, base: URL): URL | null {
  const text = address.trim();
  if (/^(?:[#?]|$)/.test(text)) return null;
  const url = resolveAddress(text, base);
  return url !== null && isLocal(url) ? url : null;
}

/** The address of a file in the folder, relative to that. */
export function belowFolder(url: URL): string {
  return url.href.slice(top.length);
}

export type Folder = ReturnType<typeof createFolder>;

/** Of a folder that is no page's build. */
const maxListed = 2000;

/**
 * Nothing outside of a folder is read, and nothing that is hidden. @param readNamed by the path below it, with `/`
 * @param paths of its files, which it need not list whole
 */
function createFolder(
  readNamed: (path: string) => Promise<Uint8Array | Fault>,
  paths: () => AsyncIterable<string> | Iterable<string>,
) {
  const named = new Set<string>();
  async function read(url: URL): Promise<Omit<LocalFile, 'url'> | Fault> {
    if (url.origin !== origin)
      return { fault: 'it is a path of this computer: write it relative to the page' };
    if (!url.href.startsWith(top)) return outside;
    const name = querystring.unescape(url.pathname.slice(new URL(top).pathname.length));
    if (name.includes('\0')) return { fault: 'its name is not valid in an address' };
    if (isHidden(name)) return hidden;
    named.add(name);
    const bytes = await readNamed(name);
    return 'fault' in bytes ? bytes : { path: name, bytes, type: mediaTypeOf(name, bytes) };
  }

  const known = new Map<string, ReturnType<typeof read>>();
  return {
    /** The paths that were looked for. */
    named,
    /** The paths of its files, in order; null: it has too many to look at each. */
    async list(): Promise<string[] | null> {
      const found: string[] = [];
      for await (const path of paths()) {
        if (!isHidden(path)) found.push(path);
        if (found.length > maxListed) return null;
      }
      return found.sort();
    },
    /** Each file is read once. */
    async read(url: URL): Promise<LocalFile | Fault> {
      const key = url.protocol + url.host + url.pathname;
      const reading = known.get(key) ?? read(url);
      known.set(key, reading);
      const found = await reading;
      return 'fault' in found ? found : { ...found, url };
    },
  };
}

const outside: Fault = { fault: 'it is outside of the folder of the page' };
const hidden: Fault = { fault: 'it is hidden, and not read' };
const noFile: Fault = { fault: 'there is no such file' };
export const folderFault = 'it is a folder, or no ordinary file';

/** @param files by their paths below the folder, with `/`, in normal form C */
export function folderOf(files: ReadonlyMap<string, Uint8Array>): Folder {
  return createFolder(
    async (path) => files.get(path.normalize('NFC')) ?? noFile,
    () => files.keys(),
  );
}

/** @param path of a folder that is there */
export async function openFolder(path: string): Promise<Folder> {
  const root = await realpath(path);

  /** The file on the disk; some disks have another normal form of its name. */
  async function find(name: string): Promise<string | Fault> {
    for (const form of new Set([name, name.normalize('NFC'), name.normalize('NFD')])) {
      try {
        return await realpath(join(root, form));
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ELOOP') return { fault: 'links that lead to each other' };
        if (code !== 'ENOENT' && code !== 'ENOTDIR')
          return { fault: `it cannot be read: ${fileFault(error).words}` };
      }
    }
    return noFile;
  }

  const readNamed = async (name: string) => {
    const found = await find(name);
    if (typeof found !== 'string') return found;
    const inside = root.endsWith(sep) ? root : root + sep;
    if (!found.startsWith(inside)) return outside;
    return isHidden(found.slice(inside.length)) ? hidden : readWhole(found); // a link may lead to it
  };
  return createFolder(readNamed, () => filesBelow(root));
}

/** Folders that cannot be read, and links, are passed over. */
async function* filesBelow(root: string): AsyncGenerator<string> {
  const rest = [''];
  for (let folder = rest.shift(); folder !== undefined; folder = rest.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && entry.name !== 'node_modules' && !isHidden(path)) rest.push(`${path}/`);
    }
  }
}

function isHidden(path: string): boolean {
  return /(?:^|[/\\])\./.test(path);
}

async function readWhole(path: string): Promise<Uint8Array | Fault> {
  try {
    // Neither a link nor a pipe that took its place since is followed.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const before = await handle.stat();
      if (!before.isFile()) return { fault: folderFault };
      const bytes = await readAtMost(handle.createReadStream({ autoClose: false }), maxReadBytes);
      if (bytes === null) return { fault: `it has more than ${maxReadBytes} bytes` };
      const after = await handle.stat();
      // Linux tells which file this is: a folder around it may have become a link.
      const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => path);
      const isSame = opened === path && bytes.length === before.size && before.mtimeMs === after.mtimeMs;
      return isSame ? bytes : { fault: 'it was changed while it was read: try again' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { fault: `it cannot be read: ${fileFault(error).words}` };
  }
}
