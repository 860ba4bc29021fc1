import { expect } from 'chai';
import { newId, randomBase62 } from '../../shared/domain/ids.ts';
import { reportIdLength } from '../../shared/reports/report.ts';
import { aComment, aReport, insertComment } from '../contract/records.ts';
import { type Dashboard, openDashboard, openOperators } from '../support/dashboard.ts';
import { expectRefusal } from '../support/person.ts';
import { createReportScene } from '../support/report-form.ts';
import { useService } from '../support/service.ts';

const hostile = '<b onclick="x">\u202e\u200b"\'&amp;';

describe('The pages for operators', () => {
  const service = useService({ TRUST_PROXY: '1' });
  const scene = createReportScene(service);
  let operator: Dashboard;
  let second: Dashboard;

  before(async () => {
    [operator, second] = await openOperators(service);
  });

  /** A page of somebody, reported so often. */
  async function publishReported(count: number, fields: object = {}) {
    const published = await scene.publish({ title: 'A page', ...fields });
    const { slug } = published;
    const report = {
      slug,
      version: 1,
      commentId: null,
      reason: 'phishing',
      text: `${hostile}\nsecond line`,
      contact: null,
    } as const;
    const insert = () => {
      const id = randomBase62(reportIdLength);
      const dropId = randomBase62(8); // of drops of their own: none waits for another
      const { reports } = service.services.engine;
      return reports.insert({ ...report, id, dropId, createdAt: service.clock.now() }, 1, 100_000);
    };
    await Promise.all(Array.from({ length: count }, insert));
    return published;
  }

  const newestAct = async () => (await service.services.audit.list(null, 1))[0];
  const by = ({ owner }: Dashboard) => `${owner.userId} ${owner.name}`;

  /** Opens the page of an act, gives a reason and sends it, later than all acts before. */
  async function act(person: Dashboard, path: string, fields: Record<string, string> = {}) {
    service.clock.advance(1);
    return person.submit(await person.open(path), { reason: 'a\r\nreason ', ...fields }, { action: '' });
  }

  describe('reports', () => {
    it('lists the most reported pages first, with title, owner and state, also deleted ones', async () => {
      expect((await operator.open('/operators')).text).to.include('Nothing to do');
      const most = await publishReported(3, { title: hostile, passcode: 'open-sesame' });
      const deleted = await publishReported(2);
      await deleted.owner.request('DELETE', `/api/drops/${deleted.slug}`);
      const { page, text } = await operator.open('/operators');
      const rows = page.all('tr').slice(1);
      expect(rows.map((row) => page.within(row, 'a')[0]?.attributes.href)).to.deep.equal([
        `/operators/pages/${most.slug}`,
        `/operators/pages/${deleted.slug}`,
      ]);
      expect(page.all('b')).to.deep.equal([]);
      expect(rows[0]?.text).to.include(most.owner.name).and.include('Locked').and.include('phishing 3');
      expect(rows[1]?.text).to.include('Deleted page');
      expect(text).to.include('2 pages with open reports').and.include('U+202E');
      const shown = await operator.open(`/operators/pages/${deleted.slug}`);
      expect(shown.text).to.include('has expired').and.include('second line');
      expect(shown.page.find('a', { class: 'button danger' }), 'nothing to take down').to.equal(undefined);
    });

    it('of one page: open ones, closed ones on request, older ones on further pages', async () => {
      const { slug } = await publishReported(27);
      const path = `/operators/pages/${slug}`;
      const { page, text } = await operator.open(path);
      expect(
        page
          .all('ul')
          .find(({ attributes }) => attributes.class === 'rows reports')
          ?.text.match(/second/g),
      ).to.have.length(25);
      expect(page.all('b')).to.deep.equal([]);
      expect(text).to.not.include('U+000A');
      const older = page.all('a').find((link) => link.text === 'Older reports')?.attributes.href ?? '';
      expect((await operator.open(older)).text.match(/second line/g)).to.have.length(2);
      await service.services.reports.closeByPage(slug, { by: 'root', reason: null });
      expect((await operator.open(path)).text).to.include('no open reports');
      expect((await operator.open(`${path}?closed`)).text.match(/second line/g)).to.have.length(25);
    });

    it('one is closed, then all of a page; each with a reason and an entry in the log', async () => {
      const { slug } = await publishReported(3);
      const [report] = await scene.reportsOf(slug);
      const id = report?.id ?? '';
      const one = await act(operator, `/operators/reports/${id}/close`);
      expect(one.text).to.include('The report is closed.');
      expect(await newestAct()).to.include({
        act: 'close-report',
        by: by(operator),
        target: `${slug} ${id}`,
        reason: 'a reason',
        outcome: 'closed',
      });
      expect((await operator.open(`/operators/reports/${id}/close`)).text).to.include(
        'The report is closed already.',
      );
      expect((await act(operator, `/operators/pages/${slug}/close-reports`)).status).to.equal(200);
      expect(await newestAct()).to.include({ act: 'close-reports', target: slug, outcome: 'closed: 2' });
      expectRefusal(await operator.open('/operators/reports/0123456789abcdef/close'), 404, 'not_found');
    });

    it('about a comment: shows it as text, and it is deleted with a reason and an entry in the log', async () => {
      const { slug, owner } = await publishReported(0);
      const { dropId } = await service.services.pages.find(slug, null);
      const { engine } = service.services;
      const about = { dropId, slug, ownerId: owner.userId };
      const author = { ...aComment().author, role: 'guest', accountId: null, name: hostile } as const;
      const insert = (changes = {}) =>
        insertComment(engine.comments, aComment({ ...about, author, text: hostile, ...changes }), 1);
      const { id } = await insert();
      await engine.reports.insert(
        aReport({ dropId, slug, commentId: id, createdAt: service.clock.now() }),
        9,
        100_000,
      );
      const { page, text } = await operator.open(`/operators/pages/${slug}`);
      const quote = page.find('blockquote')?.text ?? '';
      expect(quote).to.include('U+202E').and.include('guest').and.include('onclick').and.include('$name');
      expect(page.within(page.find('blockquote') ?? expect.fail('none'), 'b')).to.have.length(2);
      expect(text).to.include('The report is about this comment');
      const path = page.find('a', { class: 'button danger small' })?.attributes.href ?? '';
      expect(path).to.equal(`/operators/comments/${id}/delete`);
      expect((await act(operator, path)).text)
        .to.include('The comment is deleted;')
        .and.include('was deleted');
      const by = `${operator.owner.userId} ${operator.owner.name}`;
      expect(await newestAct()).to.include({
        act: 'delete-comment',
        by,
        target: `${slug} ${id}`,
        reason: 'a reason',
        outcome: 'deleted',
      });
      expect(await engine.comments.find(id)).to.equal(null);
      expectRefusal(await operator.open(path), 404, 'not_found');
      expectRefusal(await operator.open('/operators/comments/x/delete'), 404, 'not_found');
    });

    it('412 if new ones came after the operator opened the page: nobody has read them', async () => {
      const { slug } = await publishReported(1);
      const opened = await operator.open(`/operators/pages/${slug}/close-reports`);
      await scene.newReporter().report(slug);
      const refused = await operator.submit(opened, { reason: 'harmless' }, { action: '' });
      expectRefusal(refused, 412, 'version_conflict');
      expect(refused.page.find('textarea')?.text).to.equal('harmless');
      expect((await operator.submit(refused, {}, { action: '' })).status, 'again').to.equal(200);
    });
  });

  describe('a page', () => {
    it('is taken down with a reason for its owner, which can be replaced, and restored', async () => {
      const { slug, owner } = await publishReported(2);
      const path = `/operators/pages/${slug}`;
      const down = await act(operator, `${path}/takedown`, { close: 'yes' });
      expect(down.text).to.include('The page is offline').and.include('no open reports');
      expect((await service.get(`/p/${slug}`)).status).to.equal(410);
      expect((await owner.get(`/api/drops/${slug}`)).body.taken_down).to.include({ reason: 'a reason' });
      const log = await service.services.audit.list(null, 2);
      expect(log.map((entry) => [entry.act, entry.by, entry.target, entry.outcome])).to.have.deep.members([
        ['close-reports', by(operator), slug, 'closed: 2'],
        ['takedown', by(operator), slug, 'done'],
      ]);
      await act(operator, `${path}/takedown`, { reason: 'another one' });
      expect((await owner.get(`/api/drops/${slug}`)).body.taken_down).to.include({ reason: 'another one' });
      expect((await act(second, `${path}/restore`)).text).to.include('online again');
      expect((await service.get(`/p/${slug}`)).status).to.equal(200);
      expect(await newestAct()).to.include({ act: 'restore', by: by(second), reason: 'a reason' });
      expect((await operator.open(`${path}/restore`)).text).to.include('The page is not offline.');
    });

    it('400 without a reason or with too long a one, which is shown again; nothing is done', async () => {
      const { slug } = await publishReported(0);
      for (const reason of ['', ' \r\n ', 'x'.repeat(1_001)]) {
        const refused = await act(operator, `/operators/pages/${slug}/takedown`, { reason });
        expect(expectRefusal(refused, 400, 'invalid_arg').field).to.equal('reason');
        expect(refused.page.find('textarea')?.text.trim()).to.equal(reason.trim());
      }
      const longest = await act(operator, `/operators/pages/${slug}/takedown`, {
        reason: '\u{1f343}'.repeat(1_000),
      });
      expect(longest.status).to.equal(200);
    });

    it('412 for the second of two operators who act at once, and what the first one did', async () => {
      const { slug, owner } = await publishReported(0);
      const path = `/operators/pages/${slug}/takedown`;
      const mine = await operator.open(path);
      const theirs = await second.open(path);
      await operator.submit(mine, { reason: 'phishing' }, { action: '' });
      const refused = await second.submit(theirs, { reason: 'malware' }, { action: '' });
      expectRefusal(refused, 412, 'version_conflict');
      expect(refused.text).to.include('Its reason was: phishing');
      expect((await owner.get(`/api/drops/${slug}`)).body.taken_down).to.include({ reason: 'phishing' });
    });

    it('404 in the same frame of pages, if the owner deleted it meanwhile', async () => {
      const { slug, owner } = await publishReported(0);
      const opened = await operator.open(`/operators/pages/${slug}/takedown`);
      await owner.request('DELETE', `/api/drops/${slug}`);
      const refused = await operator.submit(opened, { reason: 'x' }, { action: '' });
      expectRefusal(refused, 404, 'not_found');
      expect(refused.page.find('a', { href: '/operators/log' })).to.not.equal(undefined);
      expectRefusal(await operator.open(`/operators/pages/${slug}`), 404, 'not_found');
    });
  });

  describe('an account', () => {
    it('shows state, tokens and pages, 20 at a time', async () => {
      const { owner } = await publishReported(0, { title: hostile });
      await Promise.all(Array.from({ length: 20 }, () => owner.create()));
      await service.newToken(owner, hostile);
      const { text, page } = await operator.open(`/operators/accounts/${owner.userId}`);
      expect(text).to.include('21 pages').and.include('2 tokens').and.include(owner.userId);
      expect(page.all('b')).to.deep.equal([]);
      const rest = await operator.open(`/operators/accounts/${owner.userId}?page=2`);
      expect(
        rest.page.all('a').filter(({ attributes }) => attributes.href?.includes('/pages/')),
      ).to.have.length(1);
      expectRefusal(await operator.open('/operators/accounts/nobody'), 404, 'not_found');
    });

    it('is suspended and freed again, and its tokens and sessions end', async () => {
      const person = await openDashboard(service);
      const path = `/operators/accounts/${person.owner.userId}`;
      const target = `${person.owner.userId} ${person.owner.name}`;
      expect((await act(operator, `${path}/suspend`)).text).to.include('The account is read-only now');
      expect((await person.owner.post()).status).to.equal(403);
      expect(await newestAct()).to.include({ act: 'suspend', by: by(operator), target, reason: 'a reason' });
      expect((await operator.open(`${path}/suspend`)).text).to.include('suspended already');
      expect((await act(operator, `${path}/unsuspend`)).text).to.include('The account can write again');
      expect((await person.owner.post()).status).to.equal(201);
      expect((await act(operator, `${path}/revoke-tokens`)).text).to.include('its tokens are revoked');
      expect((await person.owner.get('/api/me')).status).to.equal(401);
      expect((await person.get('/drops')).status).to.equal(303);
      expect(await newestAct()).to.include({
        act: 'revoke-tokens',
        target,
        outcome: 'done: tokens 1, sessions 1, sign-ins 0',
      });
    });

    it('an operator cannot suspend their own, and sees that another one is an operator', async () => {
      const own = `/operators/accounts/${operator.owner.userId}/suspend`;
      expect((await operator.open(own)).text).to.include('You cannot suspend your own account');
      const sent = await operator.post(own, { reason: 'x', seen: 'active' });
      expect(sent.status).to.equal(403);
      const other = `/operators/accounts/${second.owner.userId}/suspend`;
      expect((await operator.open(other)).text).to.include('account of an operator');
    });
  });

  describe('find', () => {
    const found = async (what: string) => {
      service.clock.advance(1);
      return operator.submit(await operator.open('/operators/find'), { what });
    };
    const links = ({ page }: Awaited<ReturnType<typeof found>>) =>
      page
        .all('a')
        .flatMap(({ attributes: { href = '' } }) => (/\/(pages|accounts)\//.test(href) ? [href] : []));

    it('a slug, URL, account id, name or token id; each look-up is in the log', async () => {
      const { slug, owner } = await publishReported(0);
      const tokenId = (await owner.get('/api/me')).body.token?.id ?? '';
      const pageHref = `/operators/pages/${slug}`;
      const accountHref = `/operators/accounts/${owner.userId}`;
      expect(links(await found(` ${slug} `))).to.deep.equal([pageHref, accountHref]);
      expect(links(await found(`${service.url}/p/${slug}?v=1`))).to.deep.equal([pageHref, accountHref]);
      expect((await found(`https://elsewhere.example/p/${slug}`)).text).to.include('Nothing found');
      expect(links(await found(owner.userId))).to.deep.equal([accountHref]);
      expect(links(await found(owner.name.toUpperCase()))).to.deep.equal([accountHref]);
      expect(links(await found(tokenId))).to.deep.equal([accountHref]);
      expect(await newestAct()).to.include({ act: 'find', by: by(operator), target: tokenId });
      expect((await found('nobody-has-this')).text).to.include('Nothing found');
      expectRefusal(await found(' '), 400, 'invalid_arg');
    });

    it('a token, alone or in a header: neither it nor a mistyped one is logged or shown again', async () => {
      const owner = await service.newOwner();
      for (const what of [owner.token, `Authorization: Bearer ${owner.token}`]) {
        const shown = await found(what);
        expect(links(shown)).to.deep.equal([`/operators/accounts/${owner.userId}`]);
        expect(shown.answer.text).to.not.include(owner.token);
      }
      const mistyped = `${owner.token.slice(0, -1)}${owner.token.endsWith('x') ? 'y' : 'x'}`;
      const cut = owner.token.slice(0, 30);
      for (const what of [mistyped, `Bearer ${cut}`])
        expect((await found(what)).text).to.include('Nothing found');
      const log = await service.services.audit.list(null, 4);
      expect(log.map(({ target }) => target).join())
        .to.include('dl_***')
        .and.not.include(cut.slice(3));
      expect(service.logs.join('\n')).to.not.include(cut);
    });
  });

  describe('the log', () => {
    it('shows acts of these pages and of commands, newest first, a page at a time', async () => {
      const { slug } = await publishReported(0);
      const { moderation, audit, engine } = service.services;
      service.clock.advance(60);
      const begin = (i: number) => {
        const at = service.clock.now() - 51 + i;
        return engine.auditLog.begin({
          id: newId(at),
          at,
          by: 'root',
          act: 'find',
          target: `what-${i}`,
          reason: null,
        });
      };
      await Promise.all(Array.from({ length: 51 }, (_, i) => begin(i)));
      service.clock.advance(1);
      await moderation.takeDown(slug, { by: 'root', reason: hostile });
      await operator.get('/operators'); // a GET is not in it
      const { page, text } = await operator.open('/operators/log');
      const entriesOf = (shown: typeof page) =>
        shown.all('li').filter(({ inside }) => inside.at(-1) === 'ol');
      const entries = entriesOf(page);
      expect(entries).to.have.length(50);
      expect(entries[0]?.text)
        .to.include('takedown')
        .and.include(slug)
        .and.include('root')
        .and.include('done');
      expect(text).to.include('U+202E').and.include('what-50');
      expect(page.all('b')).to.deep.equal([]);
      const older = page.find('a', { rel: 'next' })?.attributes.href ?? '';
      const next = await operator.open(older);
      expect(entriesOf(next.page)[0]?.text).to.include('what-1');
      const all = await audit.list(null, 1_000);
      const last = await operator.open(`/operators/log?before=${all.at(-51)?.id}`);
      expect(entriesOf(last.page)).to.have.length(50);
      expect(last.page.find('a', { rel: 'next' })).to.equal(undefined);
      expect((await audit.list(null, 1))[0]?.act).to.equal('takedown');
      expect(entriesOf((await operator.open('/operators/log?before=x')).page)).to.have.length(50);
    });
  });
});
