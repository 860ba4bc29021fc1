// Every regular expression of server, client and browser takes time in proportion to the text: recheck proves it, or
// bounded.json says how long the text may be and where that is enforced. proven.txt has what recheck has proven, so that a run
// looks at new expressions only. usage: check-expressions.js [--write]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readSources, type Sources } from './find-expressions.ts';

const folder = 'scripts/expressions';
const provenFile = `${folder}/proven.txt`;
const boundedFile = `${folder}/bounded.json`;

/** An expression that is not proven, and why it is harmless nevertheless. */
interface Bounded {
  readonly file: string;
  /** As in `Expression`. */
  readonly text: string;
  /** UTF-16 units of the longest text that it may see. */
  readonly longest: number;
  /** Where that is enforced: `file: name`. */
  readonly enforcedBy: string;
  readonly why: string;
}

/** recheck's own stack is deeper than a thread's usual one. */
const resourceLimits = { stackSizeMb: 64 };

/** Why each of the literals is not proven linear; null: it is. */
export function prove(literals: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  if (literals.length === 0) return Promise.resolve(new Map());
  const thread = new Worker(new URL('./prove-thread.js', import.meta.url), {
    workerData: literals,
    resourceLimits,
  });
  return new Promise((resolve, reject) => {
    thread.once('message', (verdicts) => resolve(new Map(verdicts)));
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}

/** The literals of proven.txt; none if another version of recheck has proven them. */
export function readProven(root: string): ReadonlySet<string> {
  const [first, ...lines] = readFileSync(join(root, provenFile), 'utf8').trimEnd().split('\n');
  return new Set(first === heading() ? lines : []);
}

function heading(): string {
  const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }; // proof: npm's format
  return `# Proven linear by recheck ${version}; npm run expressions writes this file.`;
}

/** @param root the folder of the project @returns a line for each fault, and what proven.txt should be */
export async function checkExpressions(root: string): Promise<{ faults: string[]; proven: string }> {
  const sources = readSources(root);
  const bounded: Bounded[] = JSON.parse(readFileSync(join(root, boundedFile), 'utf8'));
  const isListed = (file: string, text: string) =>
    bounded.some((one) => one.file === file && one.text === text);
  const unlisted = sources.expressions.filter(({ file, text }) => !isListed(file, text));
  const literals = new Set(unlisted.filter(({ isComputed }) => !isComputed).map(({ text }) => text));
  const known = readProven(root);
  const verdicts = await prove([...literals].filter((text) => !known.has(text)));
  const proven = [...literals].filter((text) => known.has(text) || verdicts.get(text) === null).sort();
  const faults = [
    ...unlisted.flatMap(({ file, text, isComputed }) => {
      const fault = isComputed ? 'the program computes it' : verdicts.get(text);
      return fault ? [`${file}: ${text} is not proven linear: ${fault}`] : [];
    }),
    ...proven
      .filter((text) => !known.has(text))
      .map((text) => `${provenFile}: add ${text} (npm run expressions)`),
    ...[...known]
      .filter((text) => !literals.has(text))
      .map((text) => `${provenFile}: remove ${text} (npm run expressions)`),
    ...bounded.flatMap((one) => faultsOf(one, sources)),
  ];
  return { faults, proven: `${[heading(), ...proven].join('\n')}\n` };
}

function faultsOf({ file, text, longest, enforcedBy, why }: Bounded, sources: Sources): string[] {
  const isThere = sources.expressions.some((one) => one.file === file && one.text === text);
  const [place = '', name = ''] = enforcedBy.split(': ');
  const faults = [
    !isThere && `remove ${text} of ${file}, which is not there`,
    !sources.namesIn(place)?.has(name) && `${place} has no ${name}, which should enforce ${longest} units`,
    !(longest > 0 && why !== '') && `${text} of ${file} needs a length and a reason`,
  ];
  return faults.flatMap((fault) => (fault === false ? [] : [`${boundedFile}: ${fault}`]));
}

if (process.argv[1] === import.meta.filename) {
  const { faults, proven } = await checkExpressions('.');
  const isWriting = process.argv[2] === '--write';
  if (isWriting && existsSync(provenFile)) writeFileSync(provenFile, proven);
  const left = faults.filter((fault) => !(isWriting && fault.startsWith(`${provenFile}: `)));
  for (const fault of left) process.stderr.write(`${fault}\n`);
  process.exitCode = left.length > 0 ? 1 : 0;
}
