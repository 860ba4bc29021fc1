import { maxReadBytes } from '../read-at-most.ts';
import { bundleCss, type CssUse } from './css.ts';
import { type Folder, type LocalFile, resolveLocal } from './folder.ts';
import type { Ledger } from './ledger.ts';
import { isShown } from './media-type.ts';

/** Reads what a page names; what cannot be read is noted. `base` is where addresses start from, `where` who names it. */
export function createReader(folder: Folder, ledger: Ledger) {
  /** What is in the page so far: files, as often as they are in it. */
  let total = 0;

  /** null: it is not local, or cannot be read. */
  async function read(address: string, base: URL, where: string): Promise<LocalFile | null> {
    const url = resolveLocal(address, base);
    if (url === null) return null;
    const isFull = total > maxReadBytes;
    const found = isFull ? { fault: `the page has more than ${maxReadBytes} bytes` } : await folder.read(url);
    if ('fault' in found) {
      ledger.miss(where, address, found.fault);
      return null;
    }
    total += found.bytes.length;
    return found;
  }

  async function shown(address: string, base: URL, where: string): Promise<string | null> {
    const found = await read(address, base, where);
    if (found === null) return null;
    if (!isShown(found.type)) {
      ledger.miss(where, address, `it is no picture, sound, film or font (${found.type})`);
      return null;
    }
    ledger.use(found);
    return dataAddress(found.type, found.bytes) + found.url.hash;
  }

  /** UTF-8, as a page is. */
  async function readText(address: string, base: URL, where: string) {
    const found = await read(address, base, where);
    if (found === null) return null;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
      ledger.use(found);
      ledger.readText(found.path, text);
      return { ...found, text };
    } catch {
      ledger.miss(where, address, 'it is not UTF-8 text');
      return null;
    }
  }

  /** @param around the style sheets that import this one @returns its text, with all that it names */
  async function style(
    address: string,
    base: URL,
    where: string,
    around: readonly string[] = [],
  ): Promise<string | null> {
    const found = await readText(address, base, where);
    if (found === null) return null;
    const { path, url, text } = found;
    if (around.includes(path)) {
      ledger.miss(where, address, 'it imports itself');
      return null;
    }
    const css = text.replace(/^@charset "[^"]*";/, '');
    return bundleCss(css, (named, use) => inCss(named, use, url, path, [...around, path]));
  }

  /** A data address for a style sheet. */
  async function inCss(
    address: string,
    use: CssUse,
    base: URL,
    where: string,
    around: readonly string[] = [],
  ): Promise<string | null> {
    if (use === 'shown') return shown(address, base, where);
    const css = await style(address, base, where, around);
    total += css?.length ?? 0;
    return css === null ? null : dataAddress('text/css', Buffer.from(css));
  }

  return { readText, shown, style, inCss };
}

export function dataAddress(type: string, bytes: Uint8Array): string {
  const charset = type.startsWith('text/') ? ';charset=utf-8' : '';
  return `data:${type}${charset};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}
