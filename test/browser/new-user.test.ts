import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Frame, Page } from 'playwright-core';
import { dropleaf, type RunningService, startDropleaf } from '../bin/command.ts';
import { createClient } from '../support/client.ts';
import { requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import type { WireDrop } from '../support/wire.ts';
import { clickApprove, describeInBrowsers, overflowOf, photograph, watchPage } from './browser.ts';
import { makeChartReport } from './chart-report.ts';

describeInBrowsers('A new user', (browser) => {
  const dataDir = makeTempDir();
  let service: RunningService;
  let token = '';
  let drop: WireDrop;

  before(async function () {
    requireProgram(this, 'curl');
    service = await startDropleaf({ DATA_DIR: dataDir });
  });
  after(async () => {
    service?.kill('SIGTERM');
    await service?.ended();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('signs in through the pages with the key that bin/dropleaf.js sign-in-key prints, and the client gets its token', async () => {
    const client = createClient(service.url);
    const started = await client.request('POST', '/api/auth/start', { body: { label: 'Reports <robot>' } });
    const { code, verification_url: url, poll_token: pollToken } = started.body;
    const poll = async () => (await client.get(`/api/auth/poll?token=${pollToken}`)).body;
    expect((await poll()).status).to.equal('pending');

    const page = await (await browser.newContext()).newPage();
    const watched = watchPage(page, service.url);
    await page.goto(url);
    await signIn(page, code);
    const asked = await page.locator('main').innerText();
    expect(asked).to.include(code).and.include('Reports <robot>').and.include('127.0.0.1');
    expect((await poll()).status, 'nothing is given before it is approved').to.equal('pending');
    await clickApprove(page);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);

    const verified = await poll();
    expect(verified.status).to.equal('verified');
    token = verified.api_token ?? '';
    expect((await poll()).status).to.equal('claimed');
    const me = (await client.get('/api/me', { token })).body;
    expect(me.user_id).to.equal(verified.user_id);
    expect(me.token?.label).to.equal('Reports <robot>');
    expect(watched.faults).to.deep.equal([]);
    client.close();
  });

  /** From the verification address to the question whether to approve. */
  async function signIn(page: Page, code: string): Promise<void> {
    const codeField = page.getByLabel(/code/i);
    if ((await codeField.count()) > 0) {
      if ((await codeField.inputValue()) === '') await codeField.fill(code);
      await page.getByRole('button').first().click();
    }
    await page.getByLabel(/name/i).fill('ada');
    const { stdout: key } = await dropleaf(['sign-in-key'], { DATA_DIR: dataDir });
    await page.getByLabel(/key/i).fill(key.trim());
    await page.getByRole('button', { name: /sign in/i }).click();
    const create = page.getByRole('button', { name: 'Create account' });
    await create.or(page.getByRole('button', { name: 'Approve' })).waitFor();
    if ((await create.count()) > 0) await create.click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
  }

  it('publishes a chart report of some hundred kilobytes with the client, as printed', async () => {
    const html = makeChartReport();
    expect(Buffer.byteLength(html)).to.be.within(200_000, 1_000_000);
    writeFileSync(join(dataDir, 'page.html'), html);
    writeFileSync(join(dataDir, 'asked.md'), 'Asked for **by Ada**.');
    const [fetchClient, , publish] =
      /curl -fsSO[\s\S]*?(?=\n\n)/.exec(service.output.stdout)?.[0].split('\n') ?? [];
    const options = "--title 'Visits in 2025' --context asked.md --json";
    const { stdout } = await promisify(execFile)('sh', ['-ec', `${fetchClient}\n${publish} ${options}`], {
      cwd: dataDir,
      env: { PATH: process.env.PATH, HOME: dataDir, DROPLEAF_TOKEN: token },
    });
    drop = JSON.parse(stdout) as WireDrop; // what is read of it fails the tests below if it is not there
    expect(drop.url).to.equal(`${service.url}/p/${drop.slug}`);
  });

  it('opens the printed curl as it stands: it publishes too', async () => {
    const commands = /TOKEN=\$[\s\S]*?(?=\n\n)/.exec(service.output.stdout)?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', commands], { env: { PATH: process.env.PATH } });
    expect(JSON.parse(stdout)).to.include({ latest_version: 1 });
  });

  it('sees the chart drawn inside the sandboxed frame, wide and on a phone, light and dark', async () => {
    await photograph(browser, 'viewer', drop.url, async (page) => {
      const frame = await openedFrame(page);
      expect(await paintedPixels(frame), 'pixels of the bars').to.be.above(2_000);
      expect(await frame.evaluate('self.origin'), 'an origin of its own').to.equal('null');
      expect(await frame.evaluate('document.cookie'), 'no cookie of the service').to.equal('');
      const database = await frame.evaluate("try { indexedDB.open('a') } catch (error) { error.name }");
      expect(database, 'what has no stand-in').to.equal('SecurityError');
      expect(await overflowOf(page)).to.equal(0);
      const box = await page.locator('iframe').boundingBox();
      const { width = 0, height = 0 } = page.viewportSize() ?? {};
      const isFullyParsed = box?.width === width && box.height > height * 0.8;
      expect(isFullyParsed, 'the drop has nearly all the space').to.equal(true);
    });
  });

  it('nothing on the way is refused by a policy, throws, or asks another host', async () => {
    const page = await (await browser.newContext()).newPage();
    const watched = watchPage(page, service.url);
    await page.goto(drop.url);
    await openedFrame(page);
    await page.goto(drop.raw_url);
    await page.waitForSelector('html[data-drawn=yes]');
    expect(watched.faults).to.deep.equal([]);
  });

  it('opens the context behind its toggle', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(drop.url);
    const text = page.getByText('Asked for by Ada.');
    expect(await text.isVisible()).to.equal(false);
    await page.locator('h1 button').click();
    await text.waitFor({ state: 'visible' });
    expect(await page.locator('strong').innerText()).to.equal('by Ada');
  });

  async function openedFrame(page: Page): Promise<Frame> {
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    await frame.waitForSelector('html[data-drawn=yes]');
    return frame;
  }

  /** How many pixels of the canvas have the colour of the bars (#2f9e62). */
  function paintedPixels(frame: Frame): Promise<number> {
    return frame.evaluate(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const isGreen = (at) => data[at] === 0x2f && data[at + 1] === 0x9e && data[at + 2] === 0x62;
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (isGreen(at)) count++;
      return count;
    })()`);
  }
});
