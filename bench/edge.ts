import { parseArgs } from 'node:util';
import { openBehindVarnish, startEmbedded, startScaleOut } from '../test/edge/behind-varnish.ts';
import { describeLoad, runLoad } from '../test/edge/load.ts';
import { findProgram } from '../test/support/programs.ts';

// usage: edge.js [--engine embedded|scale-out] [--seconds 120] [--readers 50] [--drops 200]
// Many read through Varnish (varnishd in PATH) while one writes, locks, unlocks and deletes; what the
// origin and Varnish tell each other is late in some rounds. A page that was seen over 2 s after its end was acknowledged
// ends the process with exit code 1.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'embedded' },
    seconds: { type: 'string', default: '120' },
    readers: { type: 'string', default: '50' },
    drops: { type: 'string', default: '200' },
  },
});
const program = findProgram('varnishd');
if (program === null) throw new Error('varnishd is not in PATH');

const behind = await openBehindVarnish(
  program,
  values.engine === 'scale-out' ? startScaleOut : startEmbedded,
);
const report = await runLoad({
  ...behind,
  ...{ readers: Number(values.readers), drops: Number(values.drops), seconds: Number(values.seconds) },
  ...{ thinkMs: 60, changeMs: 150, delaysMs: [0, 100, 300, 0, 500, 700, 0, 1_050, 1_600] },
}).finally(() => behind.close());
say(`${describeLoad(report)}; ${behind.purges()} purges`);
for (const violation of report.violations.slice(0, 20)) say(violation);
process.exitCode = report.violations.length > 0 ? 1 : 0;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
