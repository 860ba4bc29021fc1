import { lineOf } from '../../shared/page-checks/lines.ts';
import { exampleOf, storageAdvice, storageUse } from '../../shared/page-checks/page-checks.ts';
import type { LocalFile } from './folder.ts';

/** What cannot become part of a document, and what to do. */
const advice = {
  module:
    'this module cannot become part of the page. Bundle it, and name the bundle in a script without type="module": npx esbuild FILE --bundle --format=iife --outfile=bundle.js',
  frame: 'a page in a frame is not published. Publish it by itself, and use its address',
  page: 'a page that a link leads to is not published. Publish it by itself, and link to its address with target="_blank"',
  load: 'a script loads it while the page runs. Put the data into the script or the page; a bundler does that: npx esbuild FILE --bundle --format=iife --loader:.json=json --loader:.csv=text --loader:.png=dataurl --outfile=bundle.js',
  storage: storageAdvice,
} as const;

/** What of a page works on the author's disk alone. */
export type DiskOnly = keyof typeof advice;

/** What became of the files of a page. */
export class BundleReport {
  readonly #files = new Map<
    string,
    { readonly bytes: number; times: number; readonly converted_from?: string }
  >();
  readonly #texts = new Map<string, string>();
  readonly #missing = new Map<string, string[]>();
  readonly #diskOnly = new Map<DiskOnly, Set<string>>();

  /** @param encoding of a text */
  addFile({ path, bytes }: LocalFile, encoding = 'utf-8'): void {
    const converted = encoding === 'utf-8' ? {} : { converted_from: encoding };
    const file = this.#files.get(path) ?? { bytes: bytes.length, times: 0, ...converted };
    file.times += 1;
    this.#files.set(path, file);
  }

  /** A style sheet or script. */
  addText(path: string, text: string): void {
    this.#texts.set(path, text);
  }

  /** @param where the file and the line that name it */
  addMissing(where: string, address: string, fault: string): void {
    const key = `${exampleOf(address)}: ${fault}`;
    if (!this.#missing.get(key)?.push(where)) this.#missing.set(key, [where]);
  }

  addDiskOnly(what: DiskOnly, address: string, where: string): void {
    const names = this.#diskOnly.get(what) ?? new Set();
    this.#diskOnly.set(what, names.add(`${exampleOf(address)} (${where})`));
  }

  /** Notes its first use in a script. */
  addStorage(code: string, where: (line: number) => string): void {
    const [storage] = code.matchAll(storageUse);
    if (storage) this.addDiskOnly('storage', storage[0], where(lineOf(code, storage.index)));
  }

  /** Whether it is in the page. */
  hasFile(path: string): boolean {
    return this.#files.has(path);
  }

  /** A script that names a picture by the end of its path looks for it beside another file. */
  hasPicture(name: string): boolean {
    if (!/\.(?:png|jpe?g|gif|svg|webp)$/.test(name)) return false;
    return [...this.#files.keys()].some((path) => path.endsWith(`/${name}`));
  }

  read() {
    return {
      files: [...this.#files].map(([path, file]) => ({ path, ...file })),
      texts: [...this.#texts].map(([name, text]) => ({ name, text })),
      missing: [...this.#missing].map(([what, [where, ...others]]) => {
        const more = others.length === 0 ? '' : ` and ${others.length} times more`;
        return `${what} (${where}${more})`;
      }),
      warnings: [...this.#diskOnly].map(([what, names]) => `${listed([...names])}: ${advice[what]}`),
    };
  }
}

const maxListed = 20;

function listed(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
  return names.slice(0, maxListed).join(', ') + more;
}
