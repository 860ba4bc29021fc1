// What the look at a document before it is published costs: CPU of the process, without HTTP and without a thread of its own.
// Ordinary documents of 30 KB and 2 MB, and hostile ones, each doubled up to 2 MB.
// usage: looks.js [part of the names of hostile documents]
import { checkDocument } from '../shared/page-checks/check-document.ts';
import { hostilePages, largestPage, ordinaryPages } from '../test/support/hostile-pages.ts';
import { formatTable } from './harness.ts';

const [, , wanted = ''] = process.argv;
const now = Date.UTC(2026, 10, 23);
const goals = { smallMs: 0.05, largestMs: 60, ratio: 2.3 };
/** Below it the ratio says more about the collector than about the look. */
const shortestMs = 2;
const runs = 5;
const minRunBytes = 2 * largestPage;

const small = ordinaryPages(30_000).map(([name, page]) => {
  const ms = cpuMs(page);
  return [name, (ms * 1_000).toFixed(0), ms <= goals.smallMs ? '' : 'SLOW'];
});
console.log(formatTable(['30 KB', 'µs', ''], small));

const large = ordinaryPages(largestPage).map(([name, page]) => {
  const ms = cpuMs(page);
  return [name, ms.toFixed(1), ms <= goals.largestMs ? '' : 'SLOW'];
});
console.log(`\n${formatTable(['2 MB', 'ms', ''], large)}`);

const sizes = [8, 4, 2, 1].map((part) => largestPage / part);
const hostile = hostilePages
  .filter(([name]) => name.includes(wanted))
  .map(([name, make]) => {
    const times = sizes.map((size) => cpuMs(make(size)));
    const ratio = Math.max(...times.slice(1).map((ms, n) => ms / Math.max(times[n] ?? 0, shortestMs)));
    const isSlow = Math.max(...times) > goals.largestMs || ratio > goals.ratio;
    const { isWhole } = checkDocument(documentOf(make(largestPage)), now);
    const texts = [...times, ratio].map((number) => number.toFixed(1));
    return [JSON.stringify(name.slice(0, 40)), ...texts, isWhole ? '' : 'not whole', isSlow ? 'SLOW' : ''];
  });
console.log(
  `\n${formatTable(['hostile, ms', '256 KB', '512 KB', '1 MB', '2 MB', 'ratio', '', ''], hostile)}`,
);

function documentOf(page: string) {
  return { html: Buffer.from(page), context: null };
}

/** Of one call, in ms: the least of several runs, each of which is long enough for the clock. */
function cpuMs(page: string): number {
  const document = documentOf(page);
  const calls = Math.ceil(minRunBytes / page.length);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call++) checkDocument(document, now);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least / calls;
}
