import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newToken } from '../../shared/credentials/token.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { attacks, attacksOnParent, findings, hostilePage } from './attacks.ts';
import {
  describeInBrowsers,
  follow,
  openSignedIn,
  overflowOf,
  schemes,
  tabTo,
  takePicture,
  widths,
} from './browser.ts';

const html = (title: string, body = '<p>Hi') => `<!doctype html><title>${title}</title>${body}`;

interface TestFile {
  readonly name: string;
  readonly type?: string;
  readonly bytes: string;
}

describeInBrowsers('The form for a new drop', (browser) => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function open(options?: BrowserContextOptions) {
    const ada = await openDashboard(service);
    return { ada, ...(await openSignedIn(browser, ada, service.url, '/drops/new', options)) };
  }

  const dropsOf = async ({ owner }: Dashboard) => (await owner.get('/api/drops')).body.data;
  const htmlOf = async ({ owner }: Dashboard, slug = '') => (await owner.get(`/api/drops/${slug}/html`)).text;
  const choose = (page: Page, { name, type = 'text/html', bytes }: TestFile) =>
    page.locator('#file').setInputFiles({ name, mimeType: type, buffer: Buffer.from(bytes, 'latin1') });
  const preview = (page: Page) => page.frameLocator('iframe[title="Preview"]');
  const publish = async (page: Page) => {
    await page.getByRole('button', { name: 'Publish' }).click();
    // The page of the drop removes `?notice=new` from its address once it is shown.
    await page.waitForURL(/\/drops\/(?!new$)/);
  };

  /** Files that are dropped or pasted, as an event. @param text by its media type */
  async function send(
    page: Page,
    event: 'drop' | 'paste',
    files: TestFile[],
    text: Record<string, string> = {},
  ) {
    const script = `({ event, files, text }) => {
      const data = new DataTransfer();
      for (const { name, type = 'text/html', bytes } of files) data.items.add(new File([bytes], name, { type }));
      for (const [type, value] of Object.entries(text)) data.setData(type, value);
      const made = new Event(event, { bubbles: true, cancelable: true });
      // Firefox lets no script make a ClipboardEvent that holds something.
      Object.defineProperty(made, event === 'drop' ? 'dataTransfer' : 'clipboardData', { value: data });
      document.body.dispatchEvent(made);
    }`;
    await page.evaluate(`(${script})(${JSON.stringify({ event, files, text })})`);
  }

  it('by keyboard alone and without scripts: publish what is pasted, and a file, after a refusal', async () => {
    const { ada, page, faults } = await open({ javaScriptEnabled: false });
    await follow(page, 'Publish');
    expect(await page.getByRole('alert').innerText()).to.include('Choose an HTML file');
    expect(await page.locator('#file:focus').count()).to.equal(1);
    await tabTo(page, 'Or paste the HTML');
    await page.keyboard.type(html('Pasted'));
    await follow(page, 'Publish');
    expect(new URL(page.url()).search).to.equal('?notice=new');
    await page.goto(`${service.url}/drops/new`);
    await tabTo(page, 'HTML file');
    await choose(page, { name: 'a.html', bytes: html('Chosen') });
    await tabTo(page, 'Tags');
    await page.keyboard.type('team=a');
    await follow(page, 'Publish');
    expect((await dropsOf(ada)).map(({ title }) => title)).to.have.members(['Chosen', 'Pasted']);
    expect((await ada.owner.get('/api/drops?metadata.team=a')).body.data[0]?.title).to.equal('Chosen');
    expect(faults.filter((fault) => !fault.includes('400'))).to.deep.equal([]);
  });

  it('without scripts, text that may be plain text is asked about, and what was typed stays', async () => {
    const { ada, page } = await open({ javaScriptEnabled: false });
    await page.getByLabel('Or paste the HTML').fill('1 < 2');
    await page.getByLabel('Title').fill('Numbers');
    await page.getByRole('button', { name: 'Publish' }).click();
    expect(await page.getByRole('alert').innerText()).to.include('Say whether it is meant as plain text');
    await page.getByLabel('Yes: show it as it is written').check();
    await publish(page);
    const [drop] = await dropsOf(ada);
    expect(drop?.title).to.equal('Numbers');
    expect(await htmlOf(ada, drop?.slug)).to.include('<pre>\n1 &lt; 2</pre>');
  });

  it('a dropped file is shown beside the other fields, with its title and its scripts, and then published as it was', async () => {
    const { ada, page, faults } = await open();
    expect(await page.getByLabel('Title').isVisible()).to.equal(false);
    const bytes = html('Report &amp; more', '<p id=p>1<script>p.append(" + 1 in ", self.origin)</script>');
    await send(page, 'drop', [{ name: 'report.html', bytes }]);
    await preview(page).getByText('1 + 1 in null').waitFor();
    expect(await preview(page).locator('head > style[data-dropleaf]').count()).to.equal(1);
    await until(async () => (await page.getByLabel('Title').inputValue()) !== '', 'the title is suggested');
    expect(await page.getByLabel('Title').inputValue()).to.equal('Report & more');
    expect(await page.getByText('report.html, 1 KB').isVisible()).to.equal(true);
    await page.getByLabel('Passcode').fill('sesame');
    await publish(page);
    const [drop] = await dropsOf(ada);
    expect(drop).to.include({ title: 'Report & more', locked: true });
    expect(await htmlOf(ada, drop?.slug)).to.equal(bytes);
    expect(faults).to.deep.equal([]);
  });

  it('pasting anywhere: the source of a page, what was copied of one, and a file', async () => {
    const { page, faults } = await open();
    const source = { 'text/plain': '<h2>Source</h2>', 'text/html': '<pre>&lt;h2&gt;</pre>' };
    const title = page.getByLabel('Title');
    for (const [files, text, shown] of [
      [[], source, 'Source'],
      [[], { 'text/plain': 'Copied', 'text/html': '<h1>Copied</h1>' }, 'Copied'],
      [[{ name: 'x.html', bytes: html('File', '<h1>Filed</h1>') }], {}, 'Filed'],
    ] as [TestFile[], Record<string, string>, string][]) {
      await send(page, 'paste', files, text);
      await preview(page).getByRole('heading', { name: shown }).waitFor();
    }
    await until(
      async () => (await title.inputValue()) === 'File',
      'the suggested title follows the document',
    );
    await title.fill('Mine');
    await choose(page, { name: 'y.html', bytes: html('Other', '<h1>Other</h1>') });
    await preview(page).getByRole('heading', { name: 'Other' }).waitFor();
    expect(await title.inputValue(), "a person's own title stays").to.equal('Mine');
    expect(faults).to.deep.equal([]);
  });

  it('says before anything is sent what a file is that cannot be published, and converts what it can', async () => {
    const { ada, page, faults } = await open({ viewport: widths.phone });
    const wrong: [TestFile, string][] = [
      [{ name: 'a.pdf', bytes: '%PDF-1.7' }, 'This is a PDF'],
      [{ name: 'a.html', bytes: '<p>\xfc' }, 'Save the file as UTF-8'],
      [{ name: 'a.html', bytes: `<p>${'x'.repeat(service.config.HTML_MAX_BYTES)}` }, 'at most 2 MB'],
    ];
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    for (const [file, message] of wrong) {
      await choose(page, file);
      await page.getByRole('alert').getByText(message).waitFor();
      expect(await page.locator('#file:focus').getAttribute('aria-invalid')).to.equal('true');
    }
    expect(sent).to.deep.equal([]);
    await choose(page, {
      name: 'a.html',
      bytes: '<meta charset=windows-1252><title>\x80uro</title><p>gr\xfcn',
    });
    await preview(page).getByText('grün').waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    expect(await overflowOf(page)).to.equal(0);
    await publish(page);
    const [drop] = await dropsOf(ada);
    expect(drop?.title).to.equal('€uro');
    expect(await htmlOf(ada, drop?.slug))
      .to.include('<meta charset=utf-8>')
      .and.include('grün');
    expect(faults).to.deep.equal([]);
  });

  it('text without a tag is shown as plain text or as HTML, as the person says', async () => {
    const { ada, page } = await open();
    await choose(page, { name: 'notes.md', type: 'text/markdown', bytes: '# My notes\n* one\n* two' });
    await preview(page).locator('pre').getByText('* two').waitFor();
    await page.getByLabel('No, it is HTML').check();
    await preview(page).locator('body:not(:has(pre))').getByText('* two').waitFor();
    await page.getByLabel('Yes: show it as it is written').check();
    await preview(page).locator('pre').waitFor();
    await publish(page);
    expect((await dropsOf(ada))[0]?.title).to.equal('My notes');
  });

  it('with and without scripts, what may not be meant is listed below the button, and published anyway if the person says so', async () => {
    const risky = html('Risky', `<img src="logo.png"><p>${newToken()}`);
    for (const javaScriptEnabled of [true, false]) {
      const { ada, page, faults } = await open({ javaScriptEnabled });
      await page.locator('#html').fill(risky);
      const title = page.getByLabel('Title');
      await title.fill('Mine');
      await title.press('Enter'); // presses the form's own button
      const question = page.getByRole('group', { name: 'Publish it anyway?' });
      await question.waitFor();
      expect(await page.locator('#anyway:focus').count()).to.equal(1);
      expect(await question.innerText())
        .to.include('(Dropleaf token)')
        .and.include('logo.png');
      await title.press('Enter');
      await question.waitFor();
      expect(await dropsOf(ada)).to.deep.equal([]);
      expect(faults.filter((fault) => !/400|logo\.png/.test(fault))).to.deep.equal([]);
      for (const width of [360, 768, 1440]) {
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          await question.scrollIntoViewIfNeeded();
          expect(await overflowOf(page)).to.equal(0);
          await takePicture(page, `anyway-${javaScriptEnabled}-${width}-${colorScheme}`);
        }
      }
      await page.getByRole('button', { name: 'Publish anyway' }).click();
      await page.waitForURL(/\/drops\/(?!new$)/);
      expect((await dropsOf(ada))[0]?.title).to.equal('Mine');
    }
  });

  it('errors appear at their fields and keep all typed; a session that ended loses nothing, also not a file', async () => {
    const { ada, page } = await open();
    await choose(page, { name: 'a.html', bytes: html('A') });
    await page.getByLabel('Tags').fill('a b=c');
    const button = page.getByRole('button', { name: 'Publish' });
    await button.click();
    expect(await page.getByRole('alert').innerText()).to.include('The names of tags must be');
    expect(await page.locator('#tags:focus').getAttribute('aria-describedby')).to.include('fault');
    await page.getByLabel('Tags').fill('team=a');
    const other = await openDashboard(service, ada.owner);
    await other.post('/account/sessions', { end: 'others' });
    await button.click();
    await page.getByRole('link', { name: 'Sign in in a new tab' }).waitFor();
    const [name = '', value = ''] = other.cookie.split('=');
    await page.context().addCookies([{ name, value, url: service.url }]);
    await publish(page);
    expect((await dropsOf(ada)).map(({ title, metadata }) => [title, metadata])).to.deep.equal([
      ['A', { team: 'a' }],
    ]);
  });

  it('sent twice it is published once; of several files each is', async () => {
    const { ada, page } = await open();
    await page.getByLabel('Or paste the HTML').fill(html('Once'));
    await page.getByRole('button', { name: 'Publish' }).dblclick();
    await page.waitForURL(/\/drops\/(?!new$)/);
    await page.goto(`${service.url}/drops/new`);
    await send(page, 'drop', [
      { name: 'one.html', bytes: html('One') },
      { name: 'two.html', bytes: html('Two') },
    ]);
    const results = page.getByRole('region', { name: 'Published files' }).getByRole('link');
    await results.nth(1).waitFor();
    expect((await dropsOf(ada)).map(({ title }) => title)).to.have.members(['Once', 'One', 'Two']);
  });

  it('a hostile document gets no further in the preview than a drop in the viewer', async () => {
    const { page } = await open();
    await page.evaluate("localStorage.setItem('secret', 'kept')");
    await choose(page, { name: 'hostile.html', bytes: hostilePage([...attacks, ...attacksOnParent]) });
    await preview(page).locator('h1').waitFor();
    const frame = page.frames().find((each) => each.url().endsWith('/preview'));
    if (frame === undefined) throw new Error('there is no preview');
    for (const [what, got] of Object.entries(await findings(frame)))
      expect(got, what).to.match(/^(\w*Error|Opaque|yes (undefined|null|SecurityError))$/);
    expect(new URL(page.url()).pathname).to.equal('/drops/new');
    expect(await page.title()).to.equal('New drop · Dropleaf');
  });

  it('the preview takes a document from its own page only', async () => {
    /** When it has come, earlier messages have come, too. */
    const laterMessage =
      "new Promise((done) => { addEventListener('message', done); postMessage('', '*'); })";
    const { page } = await open();
    await page.goto(`${service.url}/preview`);
    await page.evaluate("postMessage('<h1>Taken</h1>', '*')");
    await page.evaluate(laterMessage);
    expect(await page.getByText('Taken').count()).to.equal(0);
    const hostile = await openDashboard(service);
    const send = "this.contentWindow.postMessage('<h1>Taken</h1>', '*'); this.dataset.sent = 'yes'";
    const frame = `<iframe src="/preview" onload="${send}"></iframe>`;
    const { slug } = await hostile.owner.create({ html: frame });
    await page.goto(`${service.url}/p/${slug}/raw`);
    await page.locator('iframe[data-sent]').waitFor();
    for (const each of page.frames()) {
      await each.evaluate(laterMessage);
      expect(await each.getByText('Taken').count()).to.equal(0);
    }
  });
});
