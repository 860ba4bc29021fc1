import { setTimeout as pause } from 'node:timers/promises';
import { type FaultReport, findBroken, type Server } from '../test/scale-out/fault-report.ts';
import { openFaultScene } from '../test/scale-out/fault-scene.ts';
import { type Fault, faults } from '../test/scale-out/faults.ts';
import { formatTable, readOptions } from './harness.ts';

// usage: main.js --only faults [seconds of each fault, 30 unless told [part of the names of those that are to run]]
// MONGODB_URI and REDIS_URL name the servers.

const [seconds = '30', part = ''] = readOptions({}).positionals;
const faultMs = Number(seconds) * 1_000;
const times = { beforeMs: 3_000, faultMs, calmMs: 12_000 };

/** Counted views come to their drops by a job, which may have been cut off: its lock and the look for such ones. */
const countedWithinMs = 120_000;

/** What the machine does by itself in that time. */
const nothing: Fault = { name: 'nothing', act: (_, ms) => pause(ms) };

const scene = await openFaultScene();
const rows: string[][] = [];
const remarks: string[] = [];
try {
  for (const server of ['MongoDB', 'Redis'] as const) {
    for (const fault of [nothing, ...Object.values(faults)]) {
      const name = `${server}: ${fault.name}`;
      if (name.includes(part)) rows.push(await measure(name, server, fault));
    }
  }
  remarks.push(...scene.findComplaints());
} finally {
  await scene.close();
}
process.stdout.write(`
Two web processes and a worker, each fault for ${faultMs / 1_000} s. Slowest: of all answers, from the request's last byte.
Raw: while the fault lasted. Idle: the slowest answer that needs neither server, the machine's own share.
Back: from the fault's end until the last 503 or unusually late answer.

${formatTable(
  [
    'fault',
    'requests',
    'answered',
    '503',
    'slowest ms',
    'raw p50 ms',
    'raw p99 ms',
    'idle ms',
    'back after s',
    'wrong answers',
    'lost writes',
    'wrong counts',
  ],
  rows,
)}
${['', ...remarks].join('\n')}
`);
process.exitCode = remarks.length > 0 ? 1 : 0;

async function measure(name: string, server: Server, fault: Fault): Promise<string[]> {
  process.stderr.write(`${name} …\n`);
  const report = await scene.run(fault, server, times);
  const lost = await scene.findLost();
  const miscounted = await scene.findMiscounted(countedWithinMs);
  const found = [...findBroken(report, server, 0), ...report.wrong.slice(0, 5), ...lost, ...miscounted];
  remarks.push(...found.map((what) => `${name}: ${what}`));
  const row = rowOf(name, report, lost, miscounted);
  process.stderr.write(`${row.join('  ')}\n`);
  return row;
}

function rowOf(
  name: string,
  report: FaultReport,
  lost: readonly string[],
  miscounted: readonly string[],
): string[] {
  return [
    name,
    String(report.requests),
    String(report.answered),
    String(report.unavailable),
    report.slowestMs.toFixed(0),
    report.rawP50Ms.toFixed(0),
    report.rawP99Ms.toFixed(0),
    report.idleMs.toFixed(0),
    (report.backAfterMs / 1_000).toFixed(1),
    String(report.wrong.length),
    String(lost.length),
    String(miscounted.length),
  ];
}
