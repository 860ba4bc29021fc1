/** An address that a script may load while the page runs. */
export interface Load {
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
export function* findLoads(code: string): Generator<Load> {
  for (const { index, 2: address = '' } of code.matchAll(loads))
    yield { address, offset: index, isSure: true };
  for (const { index, 1: address = '' } of code.matchAll(names))
    yield { address, offset: index, isSure: false };
}
