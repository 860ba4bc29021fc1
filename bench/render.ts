// Plans documents and has each page judged by full parses. The first faults end the process with exit code 1.
// usage: render.js [--seed N] [how many generated documents, 100,000 unless told]
//        render.js --dat <folder of .dat files of html5lib-tests, or of web-platform-tests html/syntax/parsing/resources>
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateDocuments } from '../test/html/render-generator.ts';
import { type Tally, tally } from '../test/html/render-tally.ts';
import { formatTable } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, dat: { type: 'string' } },
});

const start = performance.now();
const { faults, counts } = values.dat === undefined ? judgeGenerated() : judgeFiles(values.dat);
say(
  formatTable(
    ['what', 'documents'],
    Object.entries(counts).map(([what, of]) => [what, String(of)]),
  ),
);
say(`${((performance.now() - start) / 1000).toFixed(0)} s`);
for (const { html, fault } of faults.slice(0, 20)) say(`${fault}: ${JSON.stringify(html)}`);
say(faults.length === 0 ? 'no page is wrong' : `${faults.length} pages are wrong`);
process.exitCode = faults.length === 0 ? 0 : 1;

function judgeGenerated(): Tally {
  const count = Number(positionals[0] ?? 100_000);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  say(`${count} documents, seed ${seed}`);
  return tally(generateDocuments(count, seed));
}

function judgeFiles(folder: string): Tally {
  const files = readdirSync(folder).filter((name) => name.endsWith('.dat'));
  const documents = files.flatMap((name) => readDocuments(readFileSync(join(folder, name), 'utf8')));
  say(`${documents.length} documents of ${files.length} files`);
  return tally(documents);
}

/** Each test begins with `#data`, the document, and `#errors`. Those of fragments are left out. */
function readDocuments(text: string): string[] {
  const tests = `\n${text}`.split('\n#data\n').slice(1);
  return tests
    .filter((test) => !test.includes('\n#document-fragment\n'))
    .map((test) => `\n${test}`.split('\n#errors\n')[0]?.slice(1) ?? '');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
