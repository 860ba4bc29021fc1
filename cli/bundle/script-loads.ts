import { type Folder, folderFault, resolveLocal } from './folder.ts';
import type { BundleReport } from './report.ts';

/** An address that a script may load while the page runs. */
interface Load {
  readonly address: string;
  readonly offset: number;
  /** Whether the script surely loads it; otherwise it is a text like the name of a file. */
  readonly isSure: boolean;
}

const calls =
  /\b(?:import|fetch|importScripts|new (?:Shared)?Worker|d3\.(?:json|csv|tsv|text|xml)) ?\(|\.open ?\(["'](?:GET|POST)["'],/g;
const argument = /\s*(["'`])([^"'`\s$]+)(["'`])/y;
/** What may stand in quotes. */
const words = /[^"'`\s\\]+/g;
const name = /^(?:image:\/\/)?([^<>]+?(?:\.[a-z]\w{1,7}|\/[\w-]*))(?:[?#].*)?$/is;
/** UTF-16 units: longer ones name no file. */
const maxAddress = 500;

/** A scan, no parser: enough to name what will not be there. Linear. */
function* findLoads(code: string): Generator<Load> {
  for (const { 0: call, index } of code.matchAll(calls)) {
    argument.lastIndex = index + call.length;
    const [, start, address = '', end] = argument.exec(code) ?? [];
    if (start !== undefined && start === end && address.length <= maxAddress)
      yield { address, offset: index, isSure: true };
  }
  for (const { 0: word, index } of code.matchAll(words)) {
    if (word.length > maxAddress || !isQuoted(code, index, index + word.length)) continue;
    const address = name.exec(word)?.[1];
    if (address !== undefined) yield { address, offset: index, isSure: false };
  }
}

/** In code that is a string itself a backslash stands before the second quote. */
function isQuoted(code: string, start: number, end: number): boolean {
  const isQuote = (at: number) => /["'`]/.test(code.charAt(at));
  return isQuote(start - 1) && (isQuote(end) || (code[end] === '\\' && isQuote(end + 1)));
}

/** Of `tiles/{z}/{x}.png` and `img/` the folder, `tiles/` and `img/`; null: none */
function folderOf(address: string): string | null {
  const [fixed = '', ...variable] = address.split('{');
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  const isFolder = variable.length > 0 || /^[\w-]*$/.test(fixed.slice(folder.length));
  return isFolder && /\w/.test(folder) ? folder : null;
}

/** The 1-based line of an offset. Linear in the text if each offset is behind the one before. */
function createLineCounter(text: string): (offset: number) => number {
  let last = 0;
  let line = 1;
  let end = text.indexOf('\n');
  return (offset) => {
    if (offset < last) {
      line = 1;
      end = text.indexOf('\n');
    }
    last = offset;
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++;
    return line;
  };
}

/** Code of the page, where its files are looked for. */
export function createScriptLoads(files: Folder, report: BundleReport, base: URL, page: URL) {
  const codes: { readonly text: string; readonly where: (line: number) => string }[] = [];

  /** Whether there is such a file; of `tiles/{z}/{x}.png` and `img/`, whether there is such a folder. */
  async function isThere(address: string): Promise<boolean> {
    const folder = folderOf(address);
    const url = resolveLocal(folder ?? address, base);
    if (url === null || url.pathname === page.pathname) return false;
    const found = await files.read(url);
    return 'fault' in found ? folder !== null && found.fault === folderFault : folder === null;
  }

  return {
    /** @param where the file with a line of the text */
    add: (text: string, where: (line: number) => string): void => void codes.push({ text, where }),

    /** Notes the local addresses that the code loads, once all files of the page are known. */
    async warn(): Promise<void> {
      for (const { text, where } of codes) {
        const lineAt = createLineCounter(text);
        for (const { address, offset, isSure } of findLoads(text))
          if (isSure || report.hasPicture(address) || (await isThere(address)))
            if (resolveLocal(address, base) !== null)
              report.addDiskOnly('load', address, where(lineAt(offset)));
      }
    },
  };
}
