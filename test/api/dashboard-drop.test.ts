import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { contentSettings, frameIn } from '../support/content-hosts.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type HtmlPage, parsePage } from '../support/html.ts';
import { lockedDropSettings } from '../support/locked-drops.ts';
import { useService } from '../support/service.ts';

const dayMs = 86_400_000;

/** What the page says in its main part, in one line. */
function textOf({ text }: Answer): string {
  return (parsePage(text).find('main')?.text ?? '').replace(/\s+/g, ' ').trim();
}

/** The fields of the form that is sent there, as a browser would send them untouched. */
function fieldsOf(page: HtmlPage): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { tag, attributes, text, inside } of page.all('*')) {
    if (attributes.name === undefined || !inside.includes('form')) continue;
    if (tag === 'input') fields[attributes.name] = (attributes.value ?? '').replace(/[\r\n]/g, '');
    if (tag === 'textarea') fields[attributes.name] = text;
  }
  return fields;
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
    const drop = await ada.owner.create({ title: 'Orders', ...fields });
    const path = `/drops/${drop.slug}`;
    return {
      slug: drop.slug,
      path,
      read: async () => (await ada.owner.get(`/api/drops/${drop.slug}`)).body,
      open: async (query = '') => parsePage((await ada.get(path + query)).text),
      /** Opens the form and sends it with these fields in place of its own. */
      async edit(changes: Record<string, string>, filled?: Record<string, string>) {
        const form = filled ?? fieldsOf(parsePage((await ada.get(`${path}/edit`)).text));
        return ada.post(`${path}/edit`, { ...form, ...changes });
      },
      async setPasscode(changes: Record<string, string>) {
        const form = fieldsOf(parsePage((await ada.get(`${path}/passcode`)).text));
        return ada.post(`${path}/passcode`, { ...form, action: 'set', ...changes });
      },
    };
  }

  it('shows what the owner knows of it, and the drop in a frame that is allowed nothing else', async () => {
    const { path, slug } = await scene({ description: 'By region', metadata: { team: 'sales & co' } });
    const answer = await ada.get(path);
    expect(answer.status).to.equal(200);
    const page = parsePage(answer.text);
    expect(page.all('h1').map(({ text }) => text)).to.deep.equal(['Orders']);
    expect(textOf(answer))
      .to.include('By region')
      .and.to.include('team: sales & co')
      .and.to.include('Public');
    const tag = new URLSearchParams({ 'metadata.team': 'sales & co' });
    expect(page.find('a', { class: 'tag' })?.attributes.href).to.equal(`/drops?${tag}`);
    const frame = page.find('iframe')?.attributes ?? {};
    expect(frame.sandbox).to.equal('allow-scripts allow-forms');
    expect((await service.get(frame.src ?? '')).text).to.include('<p>A page');
    const policy = answer.headers['content-security-policy']?.split('; ');
    expect(policy).to.include(`frame-src ${service.url}/p/${slug}/raw`);
    expect(answer.headers['cache-control']).to.equal('no-store');
  });

  it('of a locked drop the frame opens without the passcode, for the owner alone; nothing counts as a view', async () => {
    const { path, slug, read } = await scene({ passcode: 'open-sesame' });
    const page = parsePage((await ada.get(path)).text);
    const src = page.find('iframe')?.attributes.src ?? '';
    const shown = await service.get(src, { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(shown.status, shown.text).to.equal(200);
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(403);
    await service.settle();
    expect((await read()).view_count).to.equal(0);
    expect(page.find('textarea', { id: 'embed' })).to.equal(undefined);
  });

  it('taken down: it says why, shows nothing of the page, and leads back from the forms', async () => {
    const { path, slug, edit, setPasscode, read } = await scene();
    const form = fieldsOf(parsePage((await ada.get(`${path}/edit`)).text));
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'It <b>imitates</b> a bank' });
    const answer = await ada.get(path);
    expect(textOf(answer)).to.include('Taken down').and.to.include('It <b>imitates</b> a bank');
    const page = parsePage(answer.text);
    expect(page.find('iframe')).to.equal(undefined);
    expect(page.all('a').map(({ attributes }) => attributes.href))
      .to.include(`${path}/download`)
      .and.not.include(`${path}/edit`);
    expect((await ada.get(`${path}/edit`)).headers.location).to.equal(path);
    expect((await ada.get(`${path}/passcode`)).headers.location).to.equal(path);
    expect((await edit({ title: 'Other' }, form)).status).to.equal(403);
    expect((await setPasscode({ passcode: 'open-sesame', if_match: form.if_match ?? '' })).status).to.equal(
      403,
    );
    expect(await read()).to.include({ title: 'Orders', locked: false });
  });

  describe('edit', () => {
    it('writes title, description, tags and expiry at once, and says so', async () => {
      const { path, edit, read } = await scene({ metadata: { old: '1', team: 'sales' } });
      const answer = await edit({
        ...{ title: 'Sales', description: 'One\r\ntwo', expires: '2030-01-31T12:00' },
        ...{ tag_name_0: '', tag_value_0: '', tag_name_2: 'week', tag_value_2: '46' },
      });
      expect(answer.status).to.equal(303);
      expect(answer.headers.location).to.equal(`${path}?notice=saved`);
      expect(textOf(await ada.get(`${path}?notice=saved`))).to.include('The details are saved.');
      const drop = await read();
      expect(drop).to.include({
        title: 'Sales',
        description: 'One\ntwo',
        expires_at: Date.UTC(2030, 0, 31, 12),
      });
      expect(drop.metadata).to.deep.equal({ team: 'sales', week: '46' });
      expect((await ada.owner.get(`/api/drops/${drop.slug}`)).headers.etag).to.equal('"2"');
      await edit({ description: '', expires: '' });
      expect(await read()).to.not.have.any.keys('description', 'expires_at');
    });

    it('what nobody touched stays as it is: an expiry with seconds, and texts of every kind', async () => {
      const texts = [
        '<script>alert(1)</script>',
        '"\' onx=1 &amp; &lt;',
        '\u202eevil\u2066',
        '日本 👩‍👩‍👧 עברית',
        '\\ </textarea> `$`',
        '\n\nlines\n ',
      ];
      for (const text of texts) {
        const title = `Title ${text}`;
        const tags = { __proto__x: text, constructor: text, 'a.b-c': '' };
        const { read, edit } = await scene({
          title,
          description: text,
          metadata: tags,
          expires_at: 1_999_999_999_999,
        });
        const before = await read();
        expect((await edit({})).status, text).to.equal(303);
        const { updated_at: _, ...after } = await read();
        expect(before).to.deep.include(after);
      }
    });

    it('sent twice, it is saved once, and both answers say so', async () => {
      const { path, edit, read } = await scene();
      const form = fieldsOf(parsePage((await ada.get(`${path}/edit`)).text));
      const changes = {
        title: 'Sales',
        tag_name_1: 'team',
        tag_value_1: 'north',
        expires: '2030-01-31T12:00',
      };
      const answers = await Promise.all([edit(changes, form), edit(changes, form)]);
      for (const { status, headers } of answers)
        expect([status, headers.location]).to.deep.equal([303, `${path}?notice=saved`]);
      const { slug } = await read();
      expect((await ada.owner.get(`/api/drops/${slug}`)).headers.etag).to.equal('"2"');
    });

    it('"Add tags" saves nothing and adds empty rows, at most as many as a drop can have', async () => {
      const { edit, read } = await scene();
      const answer = await edit({ title: 'Typed', tag_name_0: 'a', tag_value_0: 'b', action: 'more-tags' });
      expect(answer.status).to.equal(200);
      const fields = fieldsOf(parsePage(answer.text));
      expect(fields).to.include({ title: 'Typed', tag_name_0: 'a', tag_value_0: 'b', tag_name_5: '' });
      const again = fieldsOf(parsePage((await edit({ action: 'more-tags' }, { ...fields })).text));
      const last = fieldsOf(parsePage((await edit({ action: 'more-tags' }, again)).text));
      expect(Object.keys(last).filter((name) => name.startsWith('tag_name_'))).to.have.length(10);
      expect((await read()).title).to.equal('Orders');
    });

    for (const [what, changes, wrong, message] of [
      ['a blank title', { title: ' ' }, 'title', /title is required/],
      ['a long title', { title: 'é'.repeat(201) }, 'title', /at most 200 characters \(got 201\)/],
      ['a long description', { description: 'x'.repeat(501) }, 'description', /at most 500/],
      ['an expiry in the past', { expires: '2001-01-01T00:00' }, 'expires', /in the future/],
      ['an expiry that is none', { expires: 'tomorrow' }, 'expires', /date and time/],
      [
        'a wrong name of a tag',
        { tag_name_1: 'a b', tag_value_1: 'x' },
        'tag_name_1',
        /names of tags must be/,
      ],
      ['a value without a name', { tag_value_1: 'x' }, 'tag_name_1', /names of tags must be/],
      [
        'a long value of a tag',
        { tag_name_1: 'b', tag_value_1: 'x'.repeat(257) },
        'tag_value_1',
        /The tag b must be at most 256/,
      ],
      [
        'a tag that is there twice',
        { tag_name_1: 'a', tag_value_1: 'x' },
        'tag_name_1',
        /The tag a is there twice/,
      ],
    ] as const) {
      it(`${what}: 400, said at the field; what was typed is kept and nothing is saved`, async () => {
        const { edit, read } = await scene({ metadata: { a: '1' } });
        const before = await read();
        const answer = await edit({ description: 'typed', ...changes });
        expect(answer.status).to.equal(400);
        const page = parsePage(answer.text);
        const { text } = page.find('p', { role: 'alert' }) ?? { text: '' };
        expect(text).to.match(message);
        const field = page.all('*').find(({ attributes }) => attributes.name === wrong)?.attributes ?? {};
        expect(field).to.include({ 'aria-invalid': 'true' });
        expect(field['aria-describedby']).to.match(/^fault/);
        expect(fieldsOf(page)).to.include({ description: 'typed', ...changes });
        expect(await read()).to.deep.equal(before);
      });
    }

    it('changed elsewhere meanwhile: 412 shows what is live beside what was typed, and keeps the rest as it is now', async () => {
      const { path, slug, edit, read } = await scene({ description: 'Before', metadata: { team: 'sales' } });
      const form = fieldsOf(parsePage((await ada.get(`${path}/edit`)).text));
      const body = { title: 'By an agent', description: 'Agent', metadata: { by: 'agent' } };
      await ada.owner.request('PATCH', `/api/drops/${slug}`, { body });
      const answer = await edit({ title: 'By hand' }, form);
      expect(answer.status).to.equal(412);
      expect(textOf(answer)).to.include('Live now: By an agent');
      expect(textOf(answer)).to.not.include('Live now: by: agent');
      expect((await read()).title).to.equal('By an agent');
      const shown = fieldsOf(parsePage(answer.text));
      expect(shown).to.include({ title: 'By hand', description: 'Agent', tag_name_0: 'by' });
      expect((await edit({}, shown)).status).to.equal(303);
      expect(await read()).to.deep.include({ ...body, title: 'By hand' });

      const late = await edit({ shown: 'null', tag_value_0: 'mine' }, form);
      expect(textOf(late)).to.include('Live now: by: agent');
      expect(fieldsOf(parsePage(late.text))).to.include({ description: 'Before', tag_value_0: 'mine' });
    });
  });

  describe('passcode', () => {
    it('is set, changed and removed; no answer contains it', async () => {
      const { path, slug, setPasscode, read } = await scene();
      const set = await setPasscode({ passcode: 'open-sesame' });
      expect(set.headers.location).to.equal(`${path}?notice=locked`);
      expect((await service.get(`/p/${slug}/raw`)).status).to.equal(403);
      expect((await service.unlock(slug, 'open-sesame')).status).to.equal(303);
      const { frame } = await service.enter(slug, 'open-sesame');
      expect((await setPasscode({ passcode: 'another-one' })).status).to.equal(303);
      expect((await service.get(frame)).status, 'with the old passcode').to.equal(403);
      for (const part of ['', '?notice=locked', '/passcode', '/edit'])
        expect((await ada.get(path + part)).text).to.not.match(/sesame|another-one/);
      expect((await setPasscode({ action: 'remove' })).headers.location).to.equal(`${path}?notice=unlocked`);
      expect(await read()).to.include({ locked: false });
      expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    });

    it('too short or empty: 400, the old one stays, and the typed one is not repeated', async () => {
      const { slug, setPasscode, read } = await scene({ passcode: 'open-sesame' });
      for (const passcode of ['abc', '']) {
        const answer = await setPasscode({ passcode });
        expect(answer.status).to.equal(400);
        const field = parsePage(answer.text).find('input', { id: 'passcode' })?.attributes ?? {};
        expect(field).to.include({ 'aria-invalid': 'true' }).and.not.have.property('value');
      }
      expect(await read()).to.include({ locked: true });
      expect((await service.unlock(slug, 'open-sesame')).status).to.equal(303);
    });
  });

  it('download: the bytes as posted, as a file that runs nothing', async () => {
    const html = '\ufeff<!doctype html><title>x</title><script>1</script>é';
    const { path, slug } = await scene({ html, passcode: 'open-sesame' });
    const answer = await ada.get(`${path}/download`);
    expect(answer.bytes.equals(Buffer.from(html))).to.equal(true);
    expect(answer.headers).to.deep.include({
      'content-security-policy': 'sandbox',
      'content-disposition': `attachment; filename="${slug}-v1.html"`,
      'cache-control': 'no-store',
    });
  });

  it('the code to embed shows the page in any other page, under its title', async () => {
    const title = 'A "quoted" </iframe><script>alert(1)</script> & more';
    const { slug, open } = await scene({ title });
    const code = (await open()).find('textarea', { id: 'embed' })?.text ?? '';
    const elements = parsePage(code)
      .all('*')
      .filter(({ inside }) => inside.includes('body'));
    expect(elements.map(({ tag }) => tag)).to.deep.equal(['iframe']);
    const { src, title: shown, sandbox } = elements[0]?.attributes ?? {};
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
    const rowsOf = (page: HtmlPage) =>
      page
        .all('tr')
        .slice(1)
        .map(({ text }) => text.trim());
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    for (const [query, bars, sum] of [
      ['', 30, 3],
      ['?days=x', 30, 3],
      ['?days=90', 90, 5],
      ['?days=365', 52, 5],
    ] as const) {
      const page = await open(query);
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
    expect(policy).to.include(`frame-src ${url.origin}/p/${slug}/raw`);
    expect((await service.get(path, { headers: { host } })).text).to.include('<p>A page');
  });
});
