import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

/** For one expression: what takes longer is too complex to be proven, and to be read. */
const timeout = 60_000;

// This file of recheck computes everything itself; the others start programs.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck'); // proof: its types

/** Why the literal is not proven linear; null: it is */
function faultOf(literal: string): string | null {
  const end = literal.lastIndexOf('/');
  const source = literal.slice(1, end);
  const flags = literal.slice(end + 1);
  const found = checkSync(source, flags, { timeout });
  const isSearched = found.status === 'safe' && found.checker === 'fuzz';
  // A search that found no attack is no proof.
  const verdict = isSearched ? checkSync(source, flags, { timeout, checker: 'automaton' }) : found;
  if (verdict.status === 'safe') return null;
  if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}: ${verdict.attack.pattern}`;
  return `unknown (${'message' in verdict.error ? verdict.error.message : verdict.error.kind})`;
}

const literals = workerData as readonly string[]; // proof: check-expressions.ts starts this thread
parentPort?.postMessage(literals.map((literal) => [literal, faultOf(literal)]));
