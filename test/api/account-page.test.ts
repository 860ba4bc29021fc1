import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';

const day = 86_400_000;
const hostile = '<b onclick="x">\u202e\u200b$name"\'&amp;';

describe('The account page', () => {
  const service = useService({ WRITES_PER_DAY: '7', DROPS_PER_ACCOUNT: '9' });

  it('shows tokens, sessions, and how much of the limits is used today', async () => {
    const browser = await openDashboard(service);
    await service.newToken(browser.owner, hostile);
    const { slug } = await browser.owner.create();
    await browser.owner.put(slug);
    const { text, page } = await browser.open('/account');
    expect(page.all('b')).to.deep.equal([]);
    expect(text).to.include('2 of 7').and.include('1 of 9').and.include('U+202E').and.include('Test browser');
    expect(
      page.all('a').filter(({ attributes }) => attributes.href?.startsWith('/account/tokens/')),
    ).to.have.length(2);
    service.clock.advance(day);
    expect((await browser.open('/account')).text).to.include('0 of 7');
  });

  it('has a form for each session, marks the one of this browser, and ends all others at once if there are several', async () => {
    const own = await openDashboard(service);
    const endings = async () => {
      const { page } = await own.open('/account');
      const rows = page.all('tr').filter((row) => page.within(row, 'input').some((field) => isEnd(field)));
      return {
        own: rows.map((row) => row.text.includes('This browser')).filter(Boolean).length,
        ids: rows.flatMap((row) =>
          page
            .within(row, 'input')
            .filter(isEnd)
            .map(({ attributes }) => attributes.value),
        ),
        all: page.find('button', { name: 'end', value: 'others' }) !== undefined,
      };
    };
    const isEnd = ({ attributes }: { attributes: Readonly<Record<string, string>> }) =>
      attributes.name === 'end';
    const second = await openDashboard(service, own.owner);
    expect((await endings()).all).to.equal(false);
    const third = await openDashboard(service, own.owner);
    const shown = await endings();
    expect(shown).to.include({ own: 1, all: true });
    expect(shown.ids).to.have.members([own, second, third].map(({ sessionId }) => sessionId));
  });

  it('creates a token that is shown once and works until its end', async () => {
    const browser = await openDashboard(service);
    const sent = await browser.post('/account/tokens', { label: ' Backup script ', days: '7' });
    expect([sent.status, sent.headers.location]).to.match(/^303,\/account\/tokens\/\w{12}\/new$/);
    expect(sent.cookies.join()).to.match(
      /^dropleaf_new_token=[\w.-]+; Max-Age=60; Path=\/account\/tokens; HttpOnly; SameSite=Lax$/,
    );
    const path = sent.headers.location ?? '';
    const { cookie } = browser;
    const { answer, text } = await browser.open(path);
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    const [token = ''] = /dl_[0-9A-Za-z]{36}/.exec(answer.text) ?? [];
    expect(text).to.include('Backup script');
    expect(sent.text + sent.cookies).to.not.include(token);
    const { body } = await service.get<{ token: WireToken }>('/api/me', { token });
    expect(body.token).to.include({ label: 'Backup script', expires_at: service.clock.now() + 7 * day });
    expect((await browser.open('/account')).answer.text).to.not.include(token);

    const again = await browser.open(path);
    expect(again.path).to.equal(`${path.replace(/\/new$/, '')}?notice=shown`);
    expect(again.text).to.include('was shown once').and.include('Revoke token').and.not.include(token);
    const other = await openDashboard(service, browser.owner);
    other.cookie = [other.cookie, ...cookie.split('; ').slice(1)].join('; ');
    expect((await other.open(path)).text, 'in another session').to.not.include(token);
    browser.cookie = cookie;
    service.clock.advance(60_000);
    expect((await browser.open(path)).text, 'a minute later').to.not.include(token);
    expect((await browser.owner.get('/api/tokens')).body, 'no second one').to.have.length(2);
    service.clock.advance(7 * day - 60_000);
    expect((await service.get('/api/me', { token })).status).to.equal(401);
  });

  it('a token without an end and without a label', async () => {
    const browser = await openDashboard(service);
    const sent = await browser.post('/account/tokens', { label: ' ', days: '' });
    const { answer } = await browser.open(sent.headers.location ?? '');
    const [token = ''] = /dl_[0-9A-Za-z]{36}/.exec(answer.text) ?? [];
    const { body } = await service.get<{ token: WireToken }>('/api/me', { token });
    expect(body.token).to.include({ label: null }).and.not.have.property('expires_at');
  });

  it('a token that may only publish: the form offers it, and the list, its page and the new token say so', async () => {
    const browser = await openDashboard(service);
    const form = await browser.open('/account');
    expect(form.page.find('select', { name: 'scope' })?.text).to.match(/Everything\s*Publish only/);
    expect(form.text).to.include('Publish only: the program can').and.include('It cannot unlock or delete');
    const sent = await browser.post('/account/tokens', { label: 'Agent', days: '', scope: 'publish' });
    const made = await browser.open(sent.headers.location ?? '');
    expect(made.text).to.include('AccessPublish only');
    const [token = ''] = /dl_[0-9A-Za-z]{36}/.exec(made.answer.text) ?? [];
    const { body } = await service.get('/api/me', { token });
    expect(body.token).to.include({ scope: 'publish' });
    expect((await browser.open('/account')).text).to.include('Agent Publish only');
    expect((await browser.open(`/account/tokens/${body.token?.id}`)).text).to.include('AccessPublish only');
    const refused = await browser.post('/account/tokens', { label: 'Kept', days: '', scope: 'read' });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('Choose what the token may do').and.include('value="Kept"');
  });

  it('renames and revokes a token of the account', async () => {
    const browser = await openDashboard(service);
    const { id } = (await browser.owner.get<WireToken[]>('/api/tokens')).body[0] ?? { id: '' };
    const renamed = await browser.post(`/account/tokens/${id}`, { label: hostile });
    expect([renamed.status, renamed.headers.location]).to.deep.equal([303, '/account?notice=token-renamed']);
    expect((await browser.owner.get('/api/me')).body.token?.label).to.equal(hostile);
    expect((await browser.open(`/account/tokens/${id}`)).page.all('b')).to.deep.equal([]);
    expect((await browser.post(`/account/tokens/${id}`, { label: 'x'.repeat(101) })).status).to.equal(400);
    const revoked = await browser.post(`/account/tokens/${id}/revoke`, {});
    expect(revoked.headers.location).to.equal('/account?notice=token-revoked');
    expect((await browser.owner.get('/api/me')).status).to.equal(401);
  });

  it('deletes the account after its name was typed, and signs the browser out', async () => {
    const browser = await openDashboard(service);
    const { slug } = await browser.owner.create();
    const shown = await browser.open('/account/delete');
    expect(shown.text).to.include(browser.owner.name).and.include('1 drop');
    const wrong = await browser.submit(shown, { confirm: `${browser.owner.name}x` });
    expect([
      wrong.status,
      wrong.page.find('input', { id: 'confirm' })?.attributes['aria-invalid'],
    ]).to.deep.equal([400, 'true']);
    expect((await service.get(`/p/${slug}`)).status).to.equal(200);
    const done = await browser.submit(shown, { confirm: browser.owner.name });
    expect(done.status).to.equal(200);
    expect(done.answer.cookies.join()).to.match(/dropleaf_session=;.*Max-Age=0/i);
    expect((await service.get(`/p/${slug}`)).status).to.equal(404);
    expect((await browser.owner.get('/api/drops')).status).to.equal(401);
  });
});
