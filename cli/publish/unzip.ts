import { unzipSync } from 'fflate';
import { refusal } from '../errors.ts';

/** Unpacked. No page is as large. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Reads a zip file, and writes nothing to the disk.
 * @returns its files by their paths, in normal form C; if one folder has all of them, by their paths below it
 * @throws CliError if it is no zip file, or too large
 */
export function unzip(bytes: Uint8Array, name: string): ReadonlyMap<string, Uint8Array> {
  let size = 0;
  const isWanted = (path: string) => !path.endsWith('/') && !path.startsWith('__MACOSX/');
  const read = () =>
    unzipSync(bytes, {
      filter: (entry) => {
        size += entry.originalSize;
        return size <= maxBytes && isWanted(entry.name);
      },
    });
  let entries: [path: string, content: Uint8Array][];
  try {
    entries = Object.entries(read());
  } catch (error) {
    throw refusal(`${name} is no zip file that can be read`, error);
  }
  if (size > maxBytes) throw refusal(`${name} has more than ${maxBytes} bytes in its files`);
  const [top = '', ...others] = new Set(entries.map(([path]) => /^[^/]*\//.exec(path)?.[0] ?? ''));
  const skipped = others.length === 0 ? top.length : 0;
  return new Map(entries.map(([path, content]) => [path.slice(skipped).normalize('NFC'), content]));
}
