import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Dialog, Frame, Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { describeInBrowsers } from './browser.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What people import from CDNs: a library, a module, a style sheet, an image, data. */
function startCdn(): Server {
  const files: Record<string, readonly [type: string, body: string | Buffer]> = {
    '/chart.js': [
      'text/javascript',
      readFileSync(new URL('chart.umd.min.js', import.meta.resolve('chart.js'))),
    ],
    '/sum.js': ['text/javascript', 'export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);'],
    '/style.css': ['text/css', 'h1 { color: rgb(1, 2, 3); }'],
    '/dot.png': ['image/png', png],
    '/data.json': ['application/json', '[3, 5, 8]'],
  };
  return createServer((req, res) => {
    const [type, body] = files[req.url ?? ''] ?? ['text/plain', 'Not here'];
    res.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  }).listen(0, '127.0.0.1');
}

const richPage = (cdn: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Rich</title>
<link rel="stylesheet" href="${cdn}/style.css">
<script src="${cdn}/chart.js"></script>
</head>
<body>
<h1>Rich</h1>
<div style="height:200px"><canvas id="chart"></canvas></div>
<img src="${cdn}/dot.png" alt="A dot">
<form id="form"><label>Name <input name="name" required></label><button>Send</button></form>
<output id="sent"></output>
<a id="download" download="data.csv" href="data:text/csv,a%2Cb">Download</a>
<button id="blob">Export</button>
<button id="fullscreen">Fullscreen</button>
<button id="copy">Copy</button>
<button id="ask">Ask</button>
<button id="open">Open</button>
<dialog id="dialog"><form method="dialog"><button value="yes">Yes</button></form></dialog>
<a id="out" href="${cdn}/data.json" target="_blank">Elsewhere</a>
<script type="module">
import { sum } from '${cdn}/sum.js';
const numbers = await (await fetch('${cdn}/data.json')).json();
document.body.dataset.sum = sum(numbers);
</script>
<script>
const by = (id) => document.getElementById(id);
const told = (name) => (value) => { document.body.dataset[name] = value };
new Chart(by('chart'), { type: 'bar', data: { labels: ['a', 'b'], datasets: [{ data: [1, 2], backgroundColor: '#2f9e62' }] }, options: { animation: false, maintainAspectRatio: false } });
const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = ({ data }) => postMessage(data * 2)'], { type: 'text/javascript' })));
worker.onmessage = ({ data }) => told('worker')(data);
worker.postMessage(21);
by('form').addEventListener('submit', (event) => { event.preventDefault(); by('sent').textContent = new FormData(by('form')).get('name') });
by('blob').onclick = () => {
  const link = Object.assign(document.createElement('a'), { download: 'export.txt', href: URL.createObjectURL(new Blob(['exported'])) });
  link.click();
};
by('fullscreen').onclick = () => by('chart').requestFullscreen().then(() => told('fullscreen')(document.fullscreenElement.id), (error) => told('fullscreen')(error.name));
by('copy').onclick = () => navigator.clipboard.writeText('copied').then(() => told('copy')('done'), (error) => told('copy')(error.name));
by('ask').onclick = () => { alert('Hello'); told('asked')(confirm('Sure?') + ' ' + prompt('Name?')) };
by('open').onclick = () => by('dialog').showModal();
by('dialog').onclose = () => told('dialog')(by('dialog').returnValue);
</script>
</body>
</html>`;

describeInBrowsers('A rich drop', (browser) => {
  const service = useService();
  let cdn: Server | undefined;
  let slug: string;

  before(async () => {
    cdn = startCdn();
    await once(cdn, 'listening');
    const { port } = cdn.address() as AddressInfo; // proof: it listens on a port
    const owner = await service.newOwner();
    slug = (await owner.create({ html: richPage(`http://127.0.0.1:${port}`) })).slug;
  });
  after(() => {
    cdn?.closeAllConnections(); // undefined where the suite was skipped
    cdn?.close();
  });

  for (const [where, path] of [
    ['in the viewer', ''],
    ['by itself', '/raw'],
  ] as const) {
    describe(where, () => {
      let page: Page;
      let drop: Frame;
      const faults: string[] = [];

      before(async () => {
        page = await (await browser.newContext({ acceptDownloads: true })).newPage();
        page.on('pageerror', ({ message }) => faults.push(message));
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(message.text());
        });
        await page.goto(`${service.url}/p/${slug}${path}`);
        const frame = await page.$('iframe');
        drop = (await frame?.contentFrame()) ?? page.mainFrame();
        await drop.waitForSelector('body[data-worker]');
      });
      after(() => page?.context().close());

      /** What the page notes on its body once it has happened. */
      async function noted(name: string): Promise<string | null> {
        await drop.waitForSelector(`body[data-${name}]`);
        return drop.getAttribute('body', `data-${name}`);
      }

      it('a library from a CDN draws its chart', async () => {
        const green = await drop.evaluate(`(() => {
          const canvas = document.querySelector('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.some((red, at) => at % 4 === 0 && red === 0x2f && data[at + 1] === 0x9e);
        })()`);
        expect(green).to.equal(true);
      });

      it('a module, data, a style sheet and an image from there', async () => {
        expect(await noted('sum')).to.equal('16');
        expect(await drop.evaluate("getComputedStyle(document.querySelector('h1')).color")).to.equal(
          'rgb(1, 2, 3)',
        );
        expect(await drop.evaluate("document.querySelector('img').naturalWidth")).to.equal(1);
      });

      it('a worker from a blob', async () => {
        expect(await noted('worker')).to.equal('42');
      });

      it('a form that a script handles', async () => {
        await drop.getByLabel('Name').fill('Ada');
        await drop.getByRole('button', { name: 'Send' }).click();
        await drop.getByText('Ada').waitFor();
      });

      for (const [what, button, file] of [
        ['from an address', '#download', 'data.csv'],
        ['that a script makes', '#blob', 'export.txt'],
      ] as const) {
        it(`a download ${what}`, async () => {
          const download = page.waitForEvent('download');
          await drop.click(button);
          expect((await download).suggestedFilename()).to.equal(file);
        });
      }

      it('copies to the clipboard', async () => {
        await drop.click('#copy');
        expect(await noted('copy')).to.equal('done');
      });

      it('alert, confirm and prompt', async () => {
        const asked: string[] = [];
        const answer = (dialog: Dialog) => {
          asked.push(`${dialog.type()} ${dialog.message()}`);
          void dialog.accept(dialog.type() === 'prompt' ? 'Grace' : undefined);
        };
        page.on('dialog', answer);
        await drop.click('#ask');
        expect(await noted('asked')).to.equal('true Grace');
        page.off('dialog', answer);
        expect(asked).to.deep.equal(['alert Hello', 'confirm Sure?', 'prompt Name?']);
      });

      it('a dialog of its own', async () => {
        await drop.click('#open');
        await drop.getByRole('button', { name: 'Yes' }).click();
        expect(await noted('dialog')).to.equal('yes');
      });

      it('a link to another site in a window of its own', async () => {
        const opened = page.context().waitForEvent('page');
        await drop.click('#out');
        const other = await opened;
        await other.waitForLoadState();
        expect(await other.locator('body').innerText()).to.include('[3, 5, 8]');
        await other.close();
      });

      it('fullscreen', async () => {
        await drop.click('#fullscreen');
        expect(await noted('fullscreen')).to.equal('chart');
        await drop.evaluate('document.exitFullscreen()');
      });

      it('and the browser has nothing to complain of', () => {
        expect(faults).to.deep.equal([]);
      });
    });
  }
});
