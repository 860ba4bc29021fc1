import { lineOf } from '../../shared/page-checks/page-scan.ts';
import { type Folder, folderFault, resolveLocal } from './folder.ts';
import type { Ledger } from './ledger.ts';

/** An address that a script may load while the page runs. */
interface Load {
  readonly address: string;
  readonly offset: number;
  /** Whether the script surely loads it; otherwise it is a text like the name of a file. */
  readonly isSure: boolean;
}

const loads =
  /\b(?:import\s*\(|fetch\s*\(|importScripts\s*\(|new\s+(?:Shared)?Worker\s*\(|\.open\s*\(\s*["'](?:GET|POST)["']\s*,|d3\.(?:json|csv|tsv|text|xml)\s*\()\s*(["'`])([^"'`\s$]{1,500})\1/g;
const names =
  /["'`](?:image:\/\/)?([^"'`\s<>\\]{1,200}?(?:\.[a-z]\w{1,7}|\/[\w-]*))(?:[?#][^"'`\s\\]{0,200})?\\?["'`]/gi;

/** A scan, no parser: enough to name what will not be there. */
function* findLoads(code: string): Generator<Load> {
  for (const { index, 2: address = '' } of code.matchAll(loads))
    yield { address, offset: index, isSure: true };
  for (const { index, 1: address = '' } of code.matchAll(names))
    yield { address, offset: index, isSure: false };
}

/** Code of the page, where its files are looked for. */
export function createScriptLoads(files: Folder, ledger: Ledger, base: URL, page: URL) {
  const codes: { readonly text: string; readonly where: (line: number) => string }[] = [];

  /** Whether there is such a file; of `tiles/{z}/{x}.png` and `img/`, whether there is such a folder. */
  async function isThere(address: string): Promise<boolean> {
    const folder = /^([^{]*\w[^{]*\/)(?:[\w-]*$|[^/]*\{)/.exec(address)?.[1];
    const url = resolveLocal(folder ?? address, base);
    if (url === null || url.pathname === page.pathname) return false;
    const found = await files.read(url);
    return 'fault' in found ? folder !== undefined && found.fault === folderFault : folder === undefined;
  }

  return {
    /** @param where the file with a line of the text */
    add: (text: string, where: (line: number) => string): void => void codes.push({ text, where }),

    /** Notes the local addresses that the code loads, once all files of the page are known. */
    async refuse(): Promise<void> {
      for (const { text, where } of codes)
        for (const { address, offset, isSure } of findLoads(text))
          if (isSure || ledger.hasPicture(address) || (await isThere(address)))
            if (resolveLocal(address, base) !== null)
              ledger.refuse('load', address, where(lineOf(text, offset)));
    },
  };
}
