import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import { longestTurnOf } from '../support/cpu.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { parsePage } from '../support/html.ts';
import type { Field } from '../support/person.ts';
import { useService } from '../support/service.ts';
import type { WireDrop } from '../support/wire.ts';

const dayMs = 86_400_000;
const html = '<!doctype html><title>My page</title><p>Hi';

describe('/drops/new: publishing in the browser', () => {
  const service = useService({ WRITES_PER_MINUTE: '10' });

  /** @param headers in place of those of a person's navigation */
  const send = (
    dashboard: Dashboard,
    fields: Record<string, Field>,
    headers: Record<string, string> = {},
    path = '/drops/new',
  ) => dashboard.postParts(path, { key: 'k1', ...fields }, { headers });

  const asScript = { 'sec-fetch-mode': 'cors', accept: 'application/json' };
  const file = (bytes: string | Uint8Array, more: { filename?: string; type?: string } = {}) => ({
    filename: 'page.html',
    bytes,
    ...more,
  });
  const dropsOf = async ({ owner }: Dashboard) => (await owner.get('/api/drops')).body.data;

  it('a file becomes a drop byte for byte, with the title of the document; its page follows', async () => {
    const dashboard = await openDashboard(service);
    const bytes = Buffer.from(`\ufeff${html}\r\n\0`);
    const { status, headers } = await send(dashboard, { file: file(bytes), html: '', title: ' ' });
    const [drop] = await dropsOf(dashboard);
    expect([status, headers.location]).to.deep.equal([303, `/drops/${drop?.slug}?notice=new`]);
    expect(drop?.title).to.equal('My page');
    expect((await dashboard.owner.get(`/api/drops/${drop?.slug}/html`)).bytes).to.deep.equal(bytes);
    const shown = await dashboard.open(headers.location ?? '');
    expect(shown.text).to.include('My page').and.include(drop?.url);
    expect(shown.page.find('button', { 'data-copy': drop?.url ?? '' })).to.not.equal(undefined);
  });

  it('pasted HTML, with title, description, tags, passcode and expiry', async () => {
    const dashboard = await openDashboard(service);
    await send(dashboard, {
      html: '<p>one\r\n<p>two',
      title: 'Given',
      description: 'About',
      passcode: 'sesame',
      expires: '7',
      comments: 'anyone',
      tags: 'project=demo\r\n\r\n note = a = b \r\nbare',
      file: file('', { filename: '' }),
    });
    const [drop] = await dropsOf(dashboard);
    expect(drop).to.include({ title: 'Given', description: 'About', locked: true, comments: 'anyone' });
    expect(drop?.metadata).to.deep.equal({ project: 'demo', note: 'a = b', bare: '' });
    expect(drop?.expires_at).to.equal(service.clock.now() + 7 * dayMs);
    expect((await dashboard.owner.get(`/api/drops/${drop?.slug}/html`)).text).to.equal('<p>one\n<p>two');
  });

  it('without a title in the form or the document it is called like the first heading, or like the file', async () => {
    const dashboard = await openDashboard(service);
    service.clock.advance(60_000);
    for (const [html, title] of [
      [
        '<script>"<h1>no</h1>"</script><!-- <h1>no</h1> --><h2> </h2><h3>Sales&nbsp;<b>&amp; co',
        'Sales & co',
      ],
      [`<p>text</p><h1>${'😀'.repeat(300)}</h1>`, '😀'.repeat(200)],
      ['<h3><style>b{}</style>Profit', 'Profit'],
      ['<p>text</p>', 'my page.v2'],
    ]) {
      await send(dashboard, { file: file(`${html}</h3>`, { filename: 'my page.v2.html' }) });
      service.clock.advance(1000);
      expect((await dropsOf(dashboard))[0]?.title).to.equal(title);
    }
  });

  it('text without a tag is published as the person says: shown as it is, or as HTML; a file in another encoding becomes UTF-8', async () => {
    const dashboard = await openDashboard(service);
    service.clock.advance(60_000);
    const published = async (fields: Record<string, Field>) => {
      await send(dashboard, fields);
      service.clock.advance(1000);
      const [drop] = await dropsOf(dashboard);
      return [drop?.title, (await dashboard.owner.get(`/api/drops/${drop?.slug}/html`)).text];
    };
    const text = file('1 < 2 & 3', { filename: 'my notes.txt', type: 'text/plain' });
    const [title, shown] = await published({ file: text, as: 'text' });
    expect(title).to.equal('my notes');
    expect(shown).to.include('<pre>\n1 &lt; 2 &amp; 3</pre>');
    expect(await published({ file: text, as: 'html', title: 'T' })).to.deep.equal(['T', '1 < 2 & 3']);
    const latin1 = Buffer.from('<meta charset=latin1><title>\x80 \xfc</title>', 'latin1');
    const converted = ['€ ü', '<meta charset=utf-8><title>€ ü</title>'];
    expect(await published({ file: file(latin1) })).to.deep.equal(converted);
  });

  it('the same form sent twice publishes once; with other content, or as another form, again', async () => {
    const dashboard = await openDashboard(service);
    const first = await send(dashboard, { html });
    service.clock.advance(1000);
    expect((await send(dashboard, { html })).headers.location).to.equal(first.headers.location);
    const sent = [];
    for (const fields of [{ html: `${html}!` }, { html, key: 'k2' }])
      sent.push(await send(dashboard, fields));
    expect(new Set([first, ...sent].map(({ headers }) => headers.location)).size).to.equal(3);
    expect(await dropsOf(dashboard)).to.have.length(3);
  });

  it('a script gets the drop, or the envelope of the error', async () => {
    const dashboard = await openDashboard(service);
    const made = await send(dashboard, { file: file(html) }, asScript);
    expect(made.status).to.equal(201);
    expect([made.body as unknown as WireDrop]).to.deep.equal(await dropsOf(dashboard));
    const refused = await send(dashboard, { file: file('') }, asScript);
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'html_required']);
  });

  it('a refused form is shown again as it was filled in, with the error at its field and the status of the API', async () => {
    const dashboard = await openDashboard(service);
    const png = { filename: 'x.png', type: 'image/png' };
    const wrong: [Record<string, Field>, number, string, string][] = [
      [{ html: '' }, 400, 'Choose an HTML file', 'file'],
      [{ html: '<p>no title' }, 400, 'The document has no title: type one', 'title'],
      [{ html, file: file(html) }, 400, 'Choose a file or paste', 'file'],
      [{ file: file('GIF89a', png) }, 400, 'This is a picture. Put it into an HTML document', 'file'],
      [{ file: file(html, png) }, 400, 'Say whether it is meant as plain text', 'as'],
      [{ html: 'text', title: 'T' }, 400, 'Say whether it is meant as plain text', 'as'],
      [{ file: file(Buffer.from([60, 112, 62, 0xff])) }, 400, 'Save the file as UTF-8', 'file'],
    ];
    for (const [fields, status, message, field] of wrong) {
      service.clock.advance(60_000);
      const answer = await send(dashboard, { description: 'Kept <b>', ...fields });
      expect(answer.status, message).to.equal(status);
      expect(answer.text).to.include(message).and.include('value="Kept &lt;b&gt;"');
      expect(answer.text, message).to.match(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
    }
    expect(await dropsOf(dashboard)).to.deep.equal([]);
  });

  it('a field that is not UTF-8 is refused, and none of its bytes is replaced', async () => {
    const dashboard = await openDashboard(service);
    service.clock.advance(60_000);
    for (const name of ['html', 'title', 'context']) {
      const { status, text } = await send(dashboard, { html, [name]: file(Buffer.from([60, 112, 0xff])) });
      expect([status, text.includes('The form must be UTF-8')], name).to.deep.equal([400, true]);
    }
    expect(await dropsOf(dashboard)).to.deep.equal([]);
  });

  it('secrets and files that are missing are listed, and published only if the person says so', async () => {
    const dashboard = await openDashboard(service);
    service.clock.advance(60_000);
    const token = newToken();
    const risky = `<!doctype html><title>T</title>\n<img src="logo.png"><p>${token}`;
    const asked = await send(dashboard, { html: risky });
    expect(asked.status).to.equal(400);
    expect(asked.text)
      .to.include('Nothing was published yet.')
      .and.include(
        'Line 2 seems to contain a secret (Dropleaf token): everybody with the link could read it.',
      )
      .and.include('Viewers will not see logo.png: only this one file is published.');
    const { name = '', value = '' } =
      parsePage(asked.text).find('button', { name: 'anyway' })?.attributes ?? {};
    const other = await send(dashboard, { html: `\n${risky}`, [name]: value });
    expect(other.status, 'another document').to.equal(400);
    expect(await dropsOf(dashboard)).to.deep.equal([]);
    expect((await send(dashboard, { html: risky, [name]: value })).status).to.equal(303);
    const [drop] = await dropsOf(dashboard);

    const path = `/drops/${drop?.slug}/new-version`;
    const version = { if_match: '1', html, context: `The token is ${token}` };
    const { status, body } = await send(dashboard, version, asScript, path);
    const { field, risks, answer } = body.error.details;
    const line =
      'Context, line 1 seems to contain a secret (Dropleaf token): everybody with the link could read it.';
    expect([status, field, risks]).to.deep.equal([400, 'anyway', [line]]);
    const said = await send(dashboard, { ...version, anyway: String(answer) }, asScript, path);
    expect(said.status).to.equal(200);
    const near = await send(
      dashboard,
      { html: '<img src=//a>'.repeat(100_000), title: 'N', key: 'n' },
      asScript,
    );
    expect(String(near.body.error.details.risks)).to.match(/^The document was not looked at whole/);
    const storage = '<!doctype html><script>localStorage.x</script><a href="other.html">';
    expect((await send(dashboard, { html: storage, title: 'S', key: 's' })).status, 'not asked').to.equal(
      303,
    );
  });

  it('counts as a write; a document above the limit publishes nothing', async () => {
    const dashboard = await openDashboard(service);
    service.clock.advance(60_000);
    const max = service.config.HTML_MAX_BYTES;
    const big = await send(dashboard, { file: file(Buffer.alloc(max + 1, 0x20)) }, asScript);
    expect([big.status, big.body.error.code]).to.deep.equal([400, 'html_too_large']);
    const huge = await send(dashboard, { file: file(Buffer.alloc(3 * max, 0x20)) }, asScript);
    expect([huge.status, huge.body.error.code]).to.deep.equal([400, 'html_too_large']);
    for (let write = 0; write < 9; write++)
      expect((await send(dashboard, { html, key: `w${write}` })).status).to.equal(303);
    const late = await send(dashboard, { html, key: 'late' });
    expect(late.status).to.equal(429);
    expect(await dropsOf(dashboard)).to.have.length(9);
  });

  it('413 for more than 136 KiB of fields beside the document: a megabyte of tags would block the service', async () => {
    const dashboard = await openDashboard(service);
    const tags = Array.from({ length: 100_000 }, (_, i) => `t${i}`).join('\n');
    const { status, body } = await send(dashboard, { html, tags }, asScript);
    expect([status, body.error.details]).to.deep.equal([413, { field: 'form', max_bytes: 136 * 1024 }]);
    expect(await dropsOf(dashboard)).to.deep.equal([]);
  });

  it('what is no form with files is refused', async () => {
    const dashboard = await openDashboard(service);
    expect((await send(dashboard, { html }, { 'content-type': 'text/plain' })).status).to.equal(415);
    expect((await send(dashboard, { html }, { 'content-type': 'multipart/form-data' })).status).to.equal(400);
    expect(await dropsOf(dashboard)).to.deep.equal([]);
  });

  it('/drops/{slug}/new-version: a file, or pasted HTML, is live at the same address; the same form sent twice is one version', async () => {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    service.clock.advance(60_000);
    const { slug } = await owner.create({ title: 'Kept', metadata: { a: 'b' }, context: 'old' });
    const path = `/drops/${slug}/new-version`;
    const rev = async () => (await dashboard.open(path)).page.find('input', { name: 'if_match' });
    const fields = {
      if_match: (await rev())?.attributes.value ?? '',
      file: file('<p>two'),
      context: 'Why\r\n**two**',
    };
    for (let time = 0; time < 2; time++) {
      const { status, headers } = await send(dashboard, fields, {}, path);
      expect([status, headers.location]).to.deep.equal([303, `/drops/${slug}?notice=published`]);
    }
    const { body: drop } = await owner.get(`/api/drops/${slug}`);
    expect(drop).to.deep.include({ latest_version: 2, title: 'Kept', metadata: { a: 'b' } });
    expect((await owner.get(`/api/drops/${slug}/html`)).text).to.equal('<p>two');
    expect((await owner.get(`/api/drops/${slug}/v/2`)).body.context).to.equal('Why\n**two**');

    const pasted = { if_match: fields.if_match, html: '<p>three' };
    const conflict = await send(dashboard, pasted, {}, path);
    expect(conflict.status).to.equal(412);
    expect(conflict.text).to.include('version 2 is live now').and.include('&lt;p&gt;three');
    const again = { ...pasted, if_match: (await rev())?.attributes.value ?? '', key: 'k2' };
    expect((await send(dashboard, again, {}, path)).status).to.equal(303);
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(3);

    const long = { ...again, key: 'k3', context: '\r\n'.repeat(65_536) };
    expect((await send(dashboard, { ...long, if_match: '3' }, {}, path)).status).to.equal(303);
    const tooLong = await send(dashboard, { ...long, context: `${long.context}x` }, {}, path);
    expect(tooLong.status).to.equal(400);
    expect(tooLong.text)
      .to.include('at most 65536 bytes')
      .and.match(/id="context"[^>]*aria-invalid="true"/);

    const empty = await send(dashboard, { ...again, html: '' }, {}, path);
    expect(empty.status).to.equal(400);
    expect(empty.text).to.match(/id="file"[^>]*aria-invalid="true"/);
    expect((await owner.get(`/api/drops/${slug}/versions`)).body).to.have.length(4);
  });

  it('/preview, the frame of a document that is not published yet, is sandboxed like a drop, and only our pages frame it', async () => {
    const { status, headers, text } = await service.get('/preview');
    expect(status).to.equal(200);
    expect(headers['content-security-policy']).to.equal(
      "sandbox allow-scripts allow-forms; frame-ancestors 'self'",
    );
    expect(headers['cache-control']).to.equal('no-store');
    expect(text).to.include('parent === self || source !== parent || origin !== location.origin) return');
    const { page, answer } = await (await openDashboard(service)).open('/drops/new');
    expect(answer.headers['content-security-policy']).to.include(`frame-src ${service.url}/preview`);
    expect(page.find('section', { 'data-preview': '/preview' })).to.not.equal(undefined);
  });

  it('megabytes of line breaks, or of markup meant as text, do not hold the event loop', async () => {
    const dashboard = await openDashboard(service);
    const markup = '<'.repeat(2 * 1024 * 1024);
    for (const [html, status] of [
      [`<title>t</title>${'\r\n'.repeat(2_000_000)}`, 303],
      [`<title>t</title>${'\r'.repeat(2_000_000)}`, 303],
      [markup, 400],
    ] as const) {
      const sendIt = async () => {
        const answer = await send(dashboard, { key: randomUUID(), html, as: 'text' });
        expect(answer.status).to.equal(status);
      };
      expect(await longestTurnOf(sendIt, 100), html.slice(0, 20)).to.be.below(100);
    }
  });
});
