import { describeViolation } from '../test/coherence/checker.ts';
import { type FaultName, faults } from '../test/coherence/faults.ts';
import { type History, kindOf } from '../test/coherence/history.ts';
import { type CoherenceReport, runCoherence } from '../test/coherence/run.ts';
import { readOptions, say } from './harness.ts';

// 100 readers and 12 writers over all processes. A request that saw what an acknowledged change had ended is a violation:
// the run then ends with exit code 1.
// usage: coherence.js [--engine embedded|scale-out] [--fault NAME] [seconds, default 60 [seed, default by the clock]]
const { values, positionals } = readOptions({ engine: 'embedded', fault: 'none' });
const [seconds = '60', seed = String(Date.now() % 100_000)] = positionals;
const engine = (['embedded', 'scale-out'] as const).find((name) => name === values.engine);
if (engine === undefined) throw new Error(`--engine must be embedded or scale-out (got ${values.engine})`);
const names = Object.keys(faults) as FaultName[]; // proof: its own keys
const fault = names.find((name) => name === values.fault);
if (fault === undefined) throw new Error(`--fault must be one of ${names.join(', ')} (got ${values.fault})`);

if (engine === 'embedded' && !['none', 'stop-web', 'drop-notices'].includes(fault))
  throw new Error(`--fault ${fault} needs --engine scale-out`);

const report = await runCoherence({ engine, fault, seconds: Number(seconds), seed: Number(seed) });
for (const line of describe(report)) say(line);
process.exitCode = report.violations.length > 0 ? 1 : 0;

function describe({ history, violations, startedAt }: CoherenceReport): string[] {
  const { changes, reads } = history;
  const waits = changes
    .map(({ begun, acknowledged }) => acknowledged - begun)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor(share * waits.length)]?.toFixed(0);
  return [
    `${engine}, fault: ${fault}, ${seconds} s, seed ${seed}`,
    `requests ${reads.length} (${count(reads.map(nameOf))})`,
    `changes ${changes.length} (${count(changes.map(kindOf))})`,
    `  answers: ${count(changes.map(nameOf))}; those acknowledged after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    `violations ${violations.length}`,
    ...violations
      .slice(0, 5)
      .flatMap((violation) => [
        describeViolation(violation, startedAt),
        ...around(history, violation.read.slug, violation.read.ended, startedAt),
      ]),
  ];
}

/** The last changes of the drop that had begun by then. */
function around({ changes }: History, slug: string, time: number, startedAt: number): string[] {
  const at = (ms: number) => ((ms - startedAt) / 1_000).toFixed(3);
  return changes
    .filter((change) => change.slug === slug && change.begun <= time)
    .slice(-4)
    .map(
      ({ begun, acknowledged, what, through }) =>
        `    ${at(begun)} to ${at(acknowledged)} s: ${what}, ${through}`,
    );
}

function nameOf({ status }: { readonly status: number }): string {
  return status === 0 ? 'no answer' : String(status);
}

/** `200: 8, 404: 2` */
function count(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, number]) => `${name}: ${number}`).join(', ');
}
