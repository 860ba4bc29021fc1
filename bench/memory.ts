// Resident memory of the embedded engine after 100,000 GETs of 1,000 raw pages of 30 KB.
// usage: main.js --only memory
import autocannon from 'autocannon';
import { makePage } from './load.ts';
import { publish, serve } from './served.ts';

const pageCount = 1_000;
const requests = 100_000;
const targetMib = 200;
const connections = 50;

const service = await serve('embedded');
const slugs: string[] = [];
for (let n = 0; n < pageCount; n++) slugs.push(await publish(service, makePage(30_000 + n)));
const before = service.residentMib();
const { non2xx, errors } = await autocannon({
  url: service.url,
  connections,
  amount: requests,
  // Each connection requests all pages in turn, as browsers and programs do.
  requests: slugs.map((slug, n) => ({
    path: `/p/${slug}/raw`,
    headers: { 'accept-encoding': n % 2 === 0 ? 'gzip, deflate, br, zstd' : 'identity' },
  })),
});
const after = service.residentMib();
await service.close();
if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${requests} requests failed`);
if (before === null || after === null)
  throw new Error('This system has no /proc to read resident memory from');
process.stdout.write(
  `Resident memory after ${requests} GETs of ${pageCount} raw pages: ${after.toFixed(0)} MiB (${before.toFixed(0)} before); at most ${targetMib}: ${after <= targetMib ? 'met' : 'MISSED'}\n`,
);
