import { parseArgs } from 'node:util';

/** All benchmarks take `--only`, which is main.ts's. @param defaults a boolean is an option without a value */
export function readOptions<T extends Readonly<Record<string, string | boolean>>>(defaults: T) {
  const options = Object.entries({ only: '', ...defaults }).map(([name, value]) => {
    const type = typeof value === 'boolean' ? ('boolean' as const) : ('string' as const);
    return [name, { type, default: value }] as const;
  });
  const { values, positionals } = parseArgs({ allowPositionals: true, options: Object.fromEntries(options) });
  type Values = { readonly [K in keyof T]: T[K] extends boolean ? boolean : string };
  return { values: values as Values & { readonly only: string }, positionals }; // proof: each has a default of its type
}

/** '' if it is not there. */
export function readOptionValue(name: string): string {
  const at = process.argv.indexOf(name);
  return at === -1 ? '' : (process.argv[at + 1] ?? '');
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the targets that were missed; any of them makes the benchmark fail. */
export function tellMisses(misses: readonly string[]): void {
  for (const miss of misses) say(`MISSED ${miss}`);
  process.exitCode = misses.length === 0 ? 0 : 1;
}

/** @param share 0.5: the median */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Columns as wide as they need to be: the first flush left, the others flush right, with their head. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
