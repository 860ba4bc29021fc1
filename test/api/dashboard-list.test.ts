import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import type { Shown } from '../support/person.ts';
import { useService } from '../support/service.ts';

const dayMs = 86_400_000;

describe('/drops: the list of an owner', () => {
  const service = useService({
    WRITES_PER_MINUTE: '1000',
    CHANGES_PER_MINUTE: '30',
    METADATA_MAX_KEYS: '100',
  });

  async function withDrops(...titles: string[]): Promise<Dashboard> {
    const dashboard = await openDashboard(service);
    for (const title of titles) {
      await dashboard.owner.create({ title });
      service.clock.advance(1000);
    }
    return dashboard;
  }

  const titlesOf = ({ page }: Shown) =>
    page.all('h2').flatMap(({ attributes, text }) => (attributes.id?.startsWith('title-') ? [text] : []));
  const hrefOf = ({ page }: Shown, text: string) =>
    page.all('a').find((link) => link.text.trim() === text)?.attributes.href ?? `no link ${text}`;
  const boxes = ({ page }: Shown) =>
    page.all('input').flatMap(({ attributes: { name, value } }) => (name === 'drop' ? [value] : []));

  it('without drops teaches how to publish one', async () => {
    const dashboard = await openDashboard(service);
    const shown = await dashboard.open('/drops');
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('Publish your first page').and.include(`${service.url}/api/drops`);
    expect(hrefOf(shown, 'Choose a file')).to.equal('/drops/new');
    expect(shown.answer.headers['cache-control']).to.equal('no-store');
    expect(shown.answer.headers['content-security-policy']).to.include("connect-src 'self'");
  });

  it('shows of each drop title, description, tags, views by day, version, state and age; of others none', async () => {
    await withDrops('theirs');
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    const plain = await owner.create({ title: 'Plain', description: 'About it', metadata: { kind: 'a=b' } });
    const expires_at = service.clock.now() + 40 * dayMs;
    const locked = await owner.create({ title: 'Locked one', passcode: 'sesame', expires_at });
    for (let view = 0; view < 3; view++) await service.view(`/p/${plain.slug}`);
    await service.settle();
    await service.services.moderation.takeDown(locked.slug, { by: 'root', reason: 'spam' });
    for (const path of ['/drops', '/drops?view=list']) {
      const shown = await dashboard.open(path);
      expect(titlesOf(shown), path).to.have.members(['Plain', 'Locked one']);
      expect(shown.text).to.include('2 drops').and.include('About it').and.include('kind: a=b');
      expect(shown.text).to.include('3 views').and.include('Version 1').and.include('Published');
      expect(shown.text).to.include('Taken down').and.include('Locked').and.include('Expires');
      const lines = shown.page.all('svg').map(({ attributes }) => attributes['aria-label']);
      expect(lines).to.include('3 views in the last 30 days, at most 3 on one day');
      expect(lines).to.include('No views in the last 30 days');
      expect(shown.page.find('a', { href: `/drops/${plain.slug}` })?.text).to.equal('Plain');
    }
  });

  it('search, tags, order, layout and page are in the address, and each link keeps the others', async () => {
    const dashboard = await openDashboard(service);
    for (let i = 0; i < 26; i++) {
      const metadata = { kind: i < 25 ? 'report' : 'other', n: String(i % 2) };
      await dashboard.owner.create({ title: `Straße ${i}`, metadata });
      service.clock.advance(1000);
    }
    const first = await dashboard.open('/drops?q=STRASSE&metadata.kind=report&sort=oldest&view=list');
    expect(titlesOf(first)).to.have.length(24).and.include('Straße 0').and.not.include('Straße 25');
    expect(first.text).to.include('25 drops found').and.include('Page 1 of 2');
    expect(first.page.find('input', { name: 'q' })?.attributes.value).to.equal('STRASSE');
    const next = await dashboard.open(hrefOf(first, 'Next'));
    expect(titlesOf(next)).to.deep.equal(['Straße 24']);
    expect(next.path).to.equal('/drops?q=STRASSE&metadata.kind=report&sort=oldest&view=list&page=2');
    // The browser remembers `oldest` and `list`, so the others are named, too.
    const filters = 'q=STRASSE&metadata.kind=report';
    expect(hrefOf(next, 'Newest')).to.equal(`/drops?${filters}&sort=newest&view=list`);
    expect(hrefOf(next, 'Gallery')).to.equal(`/drops?${filters}&sort=oldest&view=gallery&page=2`);
    const links = next.page.all('a').map(({ attributes }) => attributes.href);
    expect(links).to.include('/drops?metadata.kind=report&sort=oldest&view=list'); // without the words
    expect(links).to.include('/drops?q=STRASSE&metadata.kind=report&metadata.n=0&sort=oldest&view=list');
    for (const [name, value] of Object.entries({ 'metadata.kind': 'report', sort: 'oldest', view: 'list' }))
      expect(next.page.find('input', { type: 'hidden', name })?.attributes.value).to.equal(value);
    const past = await dashboard.open('/drops?q=STRASSE&page=999');
    expect(past.path).to.equal('/drops?q=STRASSE&sort=oldest&view=list&page=2');
    expect((await dashboard.open('/drops?q=nothing')).text).to.include('Nothing found');
    const odd = await dashboard.open('/drops?sort=size&view=table&page=-1&utm=1');
    expect(titlesOf(odd)).to.have.length(24);
  });

  it('the browser remembers order and layout; the address wins', async () => {
    const dashboard = await withDrops('b', 'a', 'c');
    await dashboard.open('/drops?sort=title&view=list');
    const again = await dashboard.open('/drops');
    expect(titlesOf(again)).to.deep.equal(['a', 'b', 'c']);
    expect(again.answer.text).to.include('class="drop-rows"');
    expect(again.answer.cookies).to.deep.equal([]);
    const other = await dashboard.open('/drops?sort=newest');
    expect(titlesOf(other)).to.deep.equal(['c', 'a', 'b']);
    expect(other.answer.text).to.include('class="drop-rows"');
    expect(titlesOf(await dashboard.open('/drops'))).to.deep.equal(['c', 'a', 'b']);
    const gallery = await dashboard.open(hrefOf(other, 'Gallery'));
    expect(gallery.path).to.equal('/drops?view=gallery');
    expect((await dashboard.open('/drops')).answer.text).to.include('class="grid"');
  });

  it('the first choice can be undone with the link beside it', async () => {
    const dashboard = await withDrops('b', 'a', 'c');
    const list = await dashboard.open(hrefOf(await dashboard.open('/drops'), 'List'));
    const gallery = await dashboard.open(hrefOf(list, 'Gallery'));
    expect(gallery.answer.text).to.include('class="grid"');
    const byTitle = await dashboard.open(hrefOf(gallery, 'Title'));
    expect(titlesOf(byTitle)).to.deep.equal(['a', 'b', 'c']);
    expect(titlesOf(await dashboard.open(hrefOf(byTitle, 'Newest')))).to.deep.equal(['c', 'a', 'b']);
  });

  it('a damaged cookie means nothing', async () => {
    const dashboard = await withDrops('One');
    dashboard.cookie += '; dropleaf_list=table.size.x';
    expect((await dashboard.open('/drops')).answer.text).to.include('class="grid"');
  });

  it('the menu of tags has the most frequent ones with their counts; one that is a filter is marked and removed', async () => {
    const dashboard = await openDashboard(service);
    for (const team of ['b', 'a', 'b']) await dashboard.owner.create({ metadata: { team } });
    const shown = await dashboard.open('/drops?metadata.team=a');
    const menu = shown.page.find('div', { id: 'tag-menu' });
    const links = menu ? shown.page.within(menu, 'a') : [];
    expect(links.map(({ text }) => text)).to.deep.equal(['team: b2', 'team: a1']);
    expect(links.map(({ attributes }) => attributes['aria-current'])).to.deep.equal([undefined, 'true']);
    expect(links.map(({ attributes }) => attributes.href)).to.deep.equal([
      '/drops?metadata.team=a&metadata.team=b',
      '/drops',
    ]);
  });

  it('the frame of a page may do less than that of the viewer; of a page that was taken down, and of a list, there is none', async () => {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ passcode: 'open-sesame' });
    const down = await dashboard.owner.create({ title: 'Down' });
    await service.services.moderation.takeDown(down.slug, { by: 'root', reason: 'spam' });
    const { answer, text } = await dashboard.open('/drops');
    const [frame, ...others] = answer.text.match(/<iframe src=[^>]*>/g) ?? [];
    expect(others).to.deep.equal([]);
    expect(frame).to.include(`src="/p/${slug}/raw?v=1&amp;id=`).and.include('&amp;g=');
    expect(frame).to.include('sandbox="allow-scripts"').and.include('autoplay &#39;none&#39;');
    expect(frame).to.match(/ tabindex="-1" aria-hidden="true" inert>$/);
    expect(answer.headers['content-security-policy']).to.match(/frame-src http:\S+\/p\/(;|$)/);
    expect(text).to.include('Taken down').and.include('Locked');
    expect((await dashboard.open('/drops?view=list')).answer.text).to.not.include('<iframe');
  });

  it('a search that is not valid is shown as typed, with the error at its field', async () => {
    const dashboard = await withDrops('One');
    const shown = await dashboard.open(`/drops?q=${'x'.repeat(201)}`);
    expect(shown.status).to.equal(400);
    expect(shown.text).to.include('q must be at most 200 characters');
    const field = shown.page.find('input', { name: 'q' });
    expect(field?.attributes).to.include({ value: 'x'.repeat(201), 'aria-invalid': 'true' });
    expect((await dashboard.open('/drops?metadata.a%20b=c')).status).to.equal(400);
  });

  it('hostile titles, descriptions and tags are text', async () => {
    const dashboard = await openDashboard(service);
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e' &amp; \${x}`;
    const metadata = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, hostile]));
    await dashboard.owner.create({ title: hostile, description: hostile, metadata });
    for (const path of [
      '/drops',
      '/drops?view=list',
      `/drops?${new URLSearchParams({ 'metadata.k1': hostile, q: '<script>' })}`,
    ]) {
      const shown = await dashboard.open(path);
      expect(titlesOf(shown)[0], path).to.include('<script>alert(1)</script>').and.include('U+202E');
      expect(
        shown.page.all('script').every(({ attributes }) => attributes.src?.includes('/assets/')),
      ).to.equal(true);
      const images = shown.page.all('img').map(({ attributes }) => attributes.src);
      expect(images.filter((src) => !/^\/p\/\w+\/card\.png$/.test(src ?? ''))).to.deep.equal([]);
      expect(shown.text).to.include(path === '/drops' ? '78 more' : '74 more');
    }
    const asked = await dashboard.open(`/drops/delete?drop=${boxes(await dashboard.open('/drops'))[0]}`);
    expect(asked.page.all('img')).to.deep.equal([]);
    expect(asked.text).to.include('<script>alert(1)</script>');
  });

  it('selected drops are named before they are deleted, and only they are', async () => {
    const dashboard = await withDrops('Keep', 'Old', 'Older');
    const list = await dashboard.open('/drops?sort=oldest&view=list');
    const [, old, older] = boxes(list);
    const back = encodeURIComponent('/drops?sort=oldest&view=list');
    const asked = await dashboard.open(
      `/drops/delete?back=${back}&drop=${old}&drop=${older}&drop=${older}&drop=x`,
    );
    expect(asked.page.find('h1')?.text).to.equal('Delete these 2 drops?');
    expect(asked.text).to.include('Old').and.include(`/p/${older}`).and.not.include('Keep');
    expect((await dashboard.owner.get('/api/drops')).body.pagination.total_items).to.equal(3);
    const done = await dashboard.submit(asked, {});
    expect(done.path).to.equal('/drops?sort=oldest&view=list&notice=deleted-several');
    expect(done.text).to.include('The drops were deleted.');
    expect(titlesOf(done)).to.deep.equal(['Keep']);
    const again = await dashboard.submit(asked, {});
    expect(again.text, 'deleted by somebody else meanwhile').to.include('The drops were deleted.');
  });

  it('without a selection, and for drops of others, leads back to the list', async () => {
    const dashboard = await withDrops('Mine');
    const other = await (await openDashboard(service)).owner.create();
    for (const query of ['', '?drop=', `?drop=${other.slug}&back=https://evil.example/`]) {
      const shown = await dashboard.open(`/drops/delete${query}`);
      expect(shown.path, query).to.equal('/drops?notice=none-selected');
    }
  });

  it('a drop that was changed after the question is kept, by name; the others are deleted', async () => {
    const dashboard = await withDrops('Changed', 'Same');
    const { owner } = dashboard;
    const slugs = boxes(await dashboard.open('/drops?sort=oldest'));
    const asked = await dashboard.open(`/drops/delete?drop=${slugs.join('&drop=')}`);
    await owner.request('PATCH', `/api/drops/${slugs[0]}`, { body: { title: 'Changed since' } });
    const kept = await dashboard.submit(asked, {});
    expect(kept.status).to.equal(412);
    expect(kept.text).to.include('Changed since').and.include('was not deleted').and.not.include('Same');
    expect((await dashboard.submit(kept, {})).text).to.include('The drop was deleted.');
  });

  it('each deletion counts as a change: what is beyond the limit is kept, by name', async () => {
    const dashboard = await withDrops('A', 'B', 'C');
    const slugs = boxes(await dashboard.open('/drops?sort=oldest'));
    const asked = await dashboard.open(`/drops/delete?drop=${slugs.join('&drop=')}`);
    for (let i = 0; i < 28; i++) await dashboard.owner.request('PATCH', `/api/drops/none${i}`, { body: {} });
    const kept = await dashboard.submit(asked, {});
    expect(kept.status).to.equal(429);
    expect(kept.text).to.include('C').and.include('Try again in');
    service.clock.advance(60_000);
    expect((await dashboard.submit(kept, {})).text).to.include('The drop was deleted.');
  });
});
