/** An address that a script loads while the page runs. */
export interface Load {
  readonly address: string;
  readonly offset: number;
}

const loads =
  /\b(?:import\s*\(|fetch\s*\(|importScripts\s*\(|new\s+(?:Shared)?Worker\s*\(|\.open\s*\(\s*["'](?:GET|POST)["']\s*,|d3\.(?:json|csv|tsv|text|xml)\s*\()\s*(["'`])([^"'`\s$]{1,500})\1/g;

/** A scan, no parser: enough to name what will not be there. */
export function* findLoads(code: string): Generator<Load> {
  for (const { index, 2: address = '' } of code.matchAll(loads)) yield { address, offset: index };
}
