import { expect } from 'chai';
import { contentSettings, frameIn } from '../support/content-hosts.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type HtmlPage, parsePage } from '../support/html.ts';
import { lockedDropSettings } from '../support/locked-drops.ts';
import type { Shown } from '../support/person.ts';
import { useService } from '../support/service.ts';

const dayMs = 86_400_000;

/** The value of the field as the page shows it; undefined: there is no such field. */
function valueIn({ page }: Shown, name: string): string | undefined {
  const field = page.all('*').find(({ attributes }) => attributes.name === name);
  return field?.tag === 'textarea' ? field.text : field?.attributes.value;
}

describe('The page of a drop in the dashboard', () => {
  const service = useService(lockedDropSettings);
  let ada: Dashboard;
  // Some tests let more time pass than a session lasts unused.
  beforeEach(async () => {
    ada = await openDashboard(service);
  });

  /** A drop of hers, the address of its page, and the ways to it. */
  async function scene(fields: object = {}) {
    const { slug } = await ada.owner.create({ title: 'Orders', ...fields });
    const path = `/drops/${slug}`;
    const form = (name: string) => ada.open(`${path}/${name}`);
    return {
      slug,
      path,
      form,
      read: async () => (await ada.owner.get(`/api/drops/${slug}`)).body,
      rev: async () => (await ada.owner.get(`/api/drops/${slug}`)).headers.etag,
      open: (query = '') => ada.open(path + query),
      /** Sends the form with these fields in place of its own. @param opened unset: as it is now */
      edit: async (changes: Record<string, string>, opened?: Shown) =>
        ada.submit(opened ?? (await form('edit')), changes),
      setPasscode: async (changes: Record<string, string>, opened?: Shown) =>
        ada.submit(opened ?? (await form('passcode')), { action: 'set', ...changes }),
    };
  }

  it('shows what the owner knows of it, and the drop in a frame that is allowed nothing else', async () => {
    const { open, slug } = await scene({
      description: 'By region\nand month',
      metadata: { team: 'sales & co' },
    });
    const { status, page, text, answer } = await open();
    expect(status).to.equal(200);
    expect(page.all('h1').map((heading) => heading.text)).to.deep.equal(['Orders']);
    expect(text).to.include('By region').and.include('team: sales & co').and.include('Public');
    expect(text).to.not.include('U+000A');
    expect((await ada.open('/drops')).text).to.include('By region and month');
    const tag = new URLSearchParams({ 'metadata.team': 'sales & co' });
    expect(page.find('a', { class: 'tag' })?.attributes.href).to.equal(`/drops?${tag}`);
    const frame = page.find('iframe')?.attributes ?? {};
    expect(frame.sandbox).to.equal('allow-scripts allow-forms');
    expect((await service.get(frame.src ?? '')).text).to.include('<p>A page');
    const policy = answer.headers['content-security-policy']?.split('; ');
    expect(policy).to.include(`frame-src ${service.url}/p/${slug}/raw ${service.url}/preview`);
    expect(answer.headers['cache-control']).to.equal('no-store');
  });

  it('of what the account does not have, it says so, and what may have happened, in the dashboard', async () => {
    const { slug } = await scene();
    const { slug: short } = await ada.owner.create({ expires_at: service.clock.now() + 60_000 });
    await ada.owner.request('DELETE', `/api/drops/${slug}`);
    const { slug: foreign } = await service.newDrop();
    service.clock.advance(60_000);
    const texts: (string | undefined)[] = [];
    for (const gone of [slug, short, foreign, 'nothing-here']) {
      const { status, page } = await ada.open(`/drops/${gone}`);
      expect(status).to.equal(404);
      expect(page.find('a', { 'aria-current': 'page' })?.attributes.href).to.equal('/drops');
      texts.push(page.find('main')?.text);
    }
    expect(texts[0]).to.include('expired').and.include('deleted').and.include('another account');
    expect(new Set(texts).size).to.equal(1);
  });

  it('of a locked drop the frame opens without the passcode, for the owner alone; nothing counts as a view', async () => {
    const { open, slug, read } = await scene({ passcode: 'open-sesame' });
    const { page } = await open();
    const src = page.find('iframe')?.attributes.src ?? '';
    const shown = await service.get(src, { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(shown.status, shown.text).to.equal(200);
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(403);
    await service.settle();
    expect((await read()).view_count).to.equal(0);
    expect(page.find('textarea', { id: 'embed' })).to.equal(undefined);
  });

  it('taken down: it says why, shows nothing of the page, and leads back from the forms', async () => {
    const { path, slug, form, edit, setPasscode, read, open } = await scene();
    const forms = [await form('edit'), await form('passcode')];
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'It <b>imitates</b> a bank' });
    const { text, page } = await open();
    expect(text).to.include('Taken down').and.to.include('It <b>imitates</b> a bank');
    expect(page.find('iframe')).to.equal(undefined);
    expect(page.all('a').map(({ attributes }) => attributes.href))
      .to.include(`${path}/download`)
      .and.not.include(`${path}/edit`);
    for (const name of ['edit', 'passcode']) expect((await form(name)).path).to.equal(path);
    expect((await edit({ title: 'Other' }, forms[0])).status).to.equal(403);
    expect((await setPasscode({ passcode: 'open-sesame' }, forms[1])).status).to.equal(403);
    expect(await read()).to.include({ title: 'Orders', locked: false });
  });

  describe('edit', () => {
    it('writes title, description, tags and expiry at once, and says so', async () => {
      const { path, edit, read, rev } = await scene({ metadata: { old: '1', team: 'sales' } });
      const saved = await edit({
        title: 'Sales',
        description: 'One\r\ntwo',
        expires: '2030-01-31T12:00',
        tag_name_0: '',
        tag_value_0: '',
        tag_name_2: 'week',
        tag_value_2: '46',
      });
      expect(saved.path).to.equal(`${path}?notice=saved`);
      expect(saved.text).to.include('The details are saved.');
      expect(await read()).to.deep.include({
        title: 'Sales',
        description: 'One\ntwo',
        expires_at: Date.UTC(2030, 0, 31, 12),
        metadata: { team: 'sales', week: '46' },
      });
      expect(await rev()).to.equal('"2"');
      await edit({ description: '', expires: '' });
      expect(await read()).to.not.have.any.keys('description', 'expires_at');
    });

    for (const text of [
      '<script>alert(1)</script>',
      '"\' onx=1 &amp; &lt;',
      '\u202eevil\u2066',
      '日本 👩‍👩‍👧 עברית',
      '\\ </textarea> `$`',
      '\n\nlines\n ',
    ]) {
      it(`what nobody touched stays as it is, an expiry with seconds too: ${JSON.stringify(text)}`, async () => {
        const { read, edit, path } = await scene({
          title: `Title ${text}`,
          description: text,
          expires_at: 1_999_999_999_999,
          metadata: { __proto__x: text, constructor: text, 'a.b-c': '' },
        });
        const before = await read();
        expect((await edit({})).path).to.equal(`${path}?notice=saved`);
        const { updated_at: _, ...after } = await read();
        expect(before).to.deep.include(after);
      });
    }

    it('sent twice, it is saved once, and both answers say so', async () => {
      const { path, form, edit, rev } = await scene();
      const opened = await form('edit');
      const tag = { tag_name_1: 'team', tag_value_1: 'north' };
      const changes = { title: 'Sales', ...tag, expires: '2030-01-31T12:00' };
      const answers = await Promise.all([edit(changes, opened), edit(changes, opened)]);
      for (const shown of answers) expect(shown.path).to.equal(`${path}?notice=saved`);
      expect(await rev()).to.equal('"2"');
    });

    it('"Add tags" saves nothing and adds empty rows, at most as many as a drop can have', async () => {
      const { edit, read } = await scene();
      const typed = { title: 'Typed', tag_name_0: 'a', tag_value_0: 'b' };
      let shown = await edit({ ...typed, action: 'more-tags' });
      expect(shown.status).to.equal(200);
      for (const [name, value] of Object.entries({ ...typed, tag_name_5: '' }))
        expect(valueIn(shown, name)).to.equal(value);
      for (const _ of [1, 2]) shown = await edit({ action: 'more-tags' }, shown);
      const rows = shown.page
        .all('input')
        .filter(({ attributes }) => attributes.name?.startsWith('tag_name_'));
      expect(rows).to.have.length(10);
      expect((await read()).title).to.equal('Orders');
    });

    it('changed elsewhere meanwhile: 412 shows what is live beside what was typed, and keeps the rest as it is now', async () => {
      const { slug, form, edit, read } = await scene({ description: 'Before', metadata: { team: 'sales' } });
      const opened = await form('edit');
      const body = { title: 'By an agent', description: 'Agent', metadata: { by: 'agent' } };
      await ada.owner.request('PATCH', `/api/drops/${slug}`, { body });
      const refused = await edit({ title: 'By hand' }, opened);
      expect(refused.status).to.equal(412);
      expect(refused.text).to.include('Live now: By an agent').and.not.include('Live now: by: agent');
      expect((await read()).title).to.equal('By an agent');
      for (const [name, value] of Object.entries({
        title: 'By hand',
        description: 'Agent',
        tag_name_0: 'by',
      }))
        expect(valueIn(refused, name)).to.equal(value);
      expect((await edit({}, refused)).path).to.match(/saved$/);
      expect(await read()).to.deep.include({ ...body, title: 'By hand' });

      const late = await edit({ shown: 'null', tag_value_0: 'mine' }, opened);
      expect(late.text).to.include('Live now: by: agent');
      expect(valueIn(late, 'description')).to.equal('Before');
      expect(valueIn(late, 'tag_value_0')).to.equal('mine');
    });
  });

  describe('passcode', () => {
    it('is set, changed and removed; no answer contains it', async () => {
      const { path, slug, setPasscode, read } = await scene();
      expect((await setPasscode({ passcode: 'open-sesame' })).path).to.equal(`${path}?notice=locked`);
      expect((await service.get(`/p/${slug}/raw`)).status).to.equal(403);
      expect((await service.unlock(slug, 'open-sesame')).status).to.equal(303);
      const { frame } = await service.enter(slug, 'open-sesame');
      expect((await setPasscode({ passcode: 'another-one' })).path).to.equal(`${path}?notice=locked`);
      expect((await service.get(frame)).status, 'with the old passcode').to.equal(403);
      for (const part of ['', '?notice=locked', '/passcode', '/edit'])
        expect((await ada.get(path + part)).text).to.not.match(/sesame|another-one/);
      expect((await setPasscode({ action: 'remove' })).path).to.equal(`${path}?notice=unlocked`);
      expect(await read()).to.include({ locked: false });
      expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    });
  });

  it('download: the bytes as posted, as a file', async () => {
    const html = '\ufeff<!doctype html><title>x</title><script>1</script>é';
    const { path } = await scene({ html, passcode: 'open-sesame' });
    const { bytes, headers } = await ada.get(`${path}/download`);
    expect(bytes.equals(Buffer.from(html))).to.equal(true);
    expect(headers).to.deep.include({
      'content-security-policy': 'sandbox',
      'content-disposition': `attachment; filename="Orders.html"`,
      'cache-control': 'no-store',
    });
  });

  it('the code to embed shows the page in any other page, under its title', async () => {
    const title = 'A "quoted" </iframe><script>alert(1)</script> & more';
    const { path, slug } = await scene({ title });
    const code = (await ada.open(`${path}/share`)).page.find('textarea', { id: 'embed' })?.text ?? '';
    const inBody = parsePage(code)
      .all('*')
      .filter(({ inside }) => inside.includes('body'));
    expect(inBody.map(({ tag }) => tag)).to.deep.equal(['iframe']);
    const { src, title: shown, sandbox } = inBody[0]?.attributes ?? {};
    expect({ src, shown }).to.deep.equal({ src: `${service.url}/p/${slug}/raw`, shown: title });
    expect(sandbox).to.include('allow-scripts').and.not.include('allow-same-origin');
  });

  it('views: a bar and a row for each day, days without a view too, by weeks for a year', async () => {
    const { slug, open } = await scene();
    const view = async (times: number) => {
      for (let n = 0; n < times; n++) await service.view(`/p/${slug}`);
    };
    await view(2);
    service.clock.advance(40 * dayMs);
    ada = await openDashboard(service, ada.owner);
    await view(3);
    await service.settle();
    const rowsOf = (page: HtmlPage) => {
      const [, ...rows] = page.all('tr');
      return rows.map(({ text }) => text.trim());
    };
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    for (const [query, bars, sum] of [
      ['', 30, 3],
      ['?days=x', 30, 3],
      ['?days=90', 90, 5],
      ['?days=365', 52, 5],
    ] as const) {
      const { page } = await open(query);
      expect(rowsOf(page), query).to.have.length(bars);
      expect(rowsOf(page)[0]).to.match(new RegExp(`${today}3$`));
      expect(page.all('g')).to.have.length(bars);
      const total = rowsOf(page).reduce((all, row) => all + Number(/(\d\d)(\d+)$/.exec(row)?.[2]), 0);
      expect(total, query).to.equal(sum);
      expect(page.find('figcaption')?.text).to.match(new RegExp(`^${sum} views .* with 3\\.$`));
    }
  });
});

describe('The page of a drop in the dashboard, with CONTENT_ORIGIN', () => {
  const service = useService(contentSettings);

  it('shows the drop from its own host, also a locked one', async () => {
    const ada = await openDashboard(service);
    const { slug } = await ada.owner.create({ passcode: 'open-sesame' });
    const answer = await ada.get(`/drops/${slug}`);
    const { url, path, host, sandbox } = frameIn(answer);
    expect(sandbox).to.equal('allow-scripts allow-forms allow-same-origin');
    const policy = answer.headers['content-security-policy']?.split('; ');
    expect(policy).to.include(`frame-src ${url.origin}/p/${slug}/raw ${service.config.BASE_URL}/preview`);
    expect((await service.get(path, { headers: { host } })).text).to.include('<p>A page');
  });
});
