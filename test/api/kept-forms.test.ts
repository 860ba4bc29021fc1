import { expect } from 'chai';
import { KeptForms } from '../../api/http/kept-forms.ts';
import { useOnce } from '../support/between.ts';
import { type Dashboard, openDashboard, openOperator } from '../support/dashboard.ts';
import { expectErrorPage } from '../support/expect.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { parsePage } from '../support/html.ts';
import { expectRefusal, type Field, type Person, type Shown } from '../support/person.ts';
import { type TestService, useService, useServices } from '../support/service.ts';

const minute = 60_000;

describe('A form whose session has ended', () => {
  const service = useService({ CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });
  const signIn = (person: Person, shown: Shown, name: string, key = service.services.signInKey) =>
    person.submit(shown, { name, key: String(key) }, { action: '/sign-in/browser' });

  /** The page of a form, from which the session is gone. */
  async function openAndEnd(person: Dashboard, path: string, of = service): Promise<Shown> {
    const shown = await person.open(path);
    await endSession(of, person);
    return shown;
  }

  async function prepare() {
    const person = await openDashboard(service);
    const { slug } = await person.owner.create({ title: 'Before', metadata: { a: '1' } });
    return { person, slug, edit: `/drops/${slug}/edit` };
  }

  const fieldOf = ({ page }: Shown, name: string) => page.find('input', { name })?.attributes.value;

  it('is filled in again after the sign-in, saves nothing by itself, and is sent with one press', async () => {
    const { person, slug, edit } = await prepare();
    const form = await openAndEnd(person, edit);
    const typed = {
      title: 'Typed <b>\u{1f331}',
      description: 'Two\r\nlines',
      tag_name_0: 'a',
      tag_value_0: '2',
      tag_name_1: 'new tag',
    };
    const asked = await person.submit(form, typed, { action: edit });
    expectRefusal(asked, 401, 'unauthorized');
    expect(asked.text).to.include('What you typed comes back after you sign in');
    expect(asked.answer.text).to.not.include('Typed').and.not.include(person.formToken);
    const wrong = await signIn(person, asked, person.owner.name, 'wrong');
    expectRefusal(wrong, 403, 'forbidden');
    const again = await signIn(person, wrong, person.owner.name);
    expect([again.status, again.path]).to.deep.equal([403, edit]);
    expect(again.text).to.include('Nothing was saved yet');
    expect(fieldOf(again, 'title')).to.equal(typed.title);
    expect(again.page.find('textarea', { name: 'description' })?.text).to.equal('Two\nlines');
    expect(['tag_value_0', 'tag_name_1'].map((name) => fieldOf(again, name))).to.deep.equal(['2', 'new tag']);
    const title = async () => (await person.owner.get(`/api/drops/${slug}`)).body.title;
    expect(await title()).to.equal('Before');
    const saved = await person.submit(again, { tag_name_1: 'new-tag' }, { action: edit });
    expect(saved.path).to.equal(`/drops/${slug}?notice=saved`);
    expect(await title()).to.equal(typed.title);
  });

  it('waits without its form token, so that it cannot be sent by itself', async () => {
    const forms = new KeptForms(service.services);
    const sent = new Map([
      ['form_token', 'account.hash'],
      ['title', 'Typed'],
    ]);
    const kept = await forms.open(String(await forms.seal(sent, '/drops/abc/edit')));
    expect(kept).to.include({ accountId: 'account', path: '/drops/abc/edit' });
    expect(kept?.fields).to.deep.equal([['title', 'Typed']]);
  });

  it('a passcode, the label of a token and a reason of an operator come back as well', async () => {
    const person = await openOperator(service);
    const { slug } = await person.owner.create();
    const stranger = await service.newOwner();
    for (const [path, action, name, text] of [
      [`/drops/${slug}/passcode`, `/drops/${slug}/passcode`, 'passcode', 'open sesame'],
      ['/account', '/account/tokens', 'label', 'My label'],
      [`/operators/accounts/${stranger.userId}/suspend`, undefined, 'reason', 'My reason'],
    ] as const) {
      const form = await openAndEnd(person, path);
      const sent = action === undefined ? {} : { action };
      const asked = await person.submit(form, { [name]: text }, sent);
      expect(asked.answer.text).to.not.include(text);
      const again = await signIn(person, asked, person.owner.name);
      expect([again.status, again.path], name).to.deep.equal([403, action ?? path]);
      expect(fieldOf(again, name) ?? again.page.find('textarea', { name })?.text, name).to.equal(text);
    }
    expect((await person.owner.get(`/api/drops/${slug}`)).body.locked).to.equal(false);
  });

  it('of a document gives back its text, in a form that publishes', async () => {
    const { person, slug } = await prepare();
    for (const path of ['/drops/new', `/drops/${slug}/new-version`]) {
      const fields: Record<string, Field> = {
        html: '<title>Mine</title>\r\n\u{1f331}',
        key: 'k',
        if_match: '1',
      };
      const file = { filename: '', bytes: '' };
      await endSession(service, person);
      const sent = await person.postParts(path, { ...fields, file });
      expect(sent.status).to.equal(401);
      const again = await signIn(person, shownOf(path, sent), person.owner.name);
      expect([again.status, again.path], again.text).to.deep.equal([403, path]);
      expect(again.page.find('textarea', { name: 'html' })?.text).to.equal('<title>Mine</title>\n\u{1f331}');
      const all = again.page.all('input').map(({ attributes: { name = '', value = '' } }) => [name, value]);
      const done = await person.postParts(path, { ...Object.fromEntries(all), ...fields, file });
      expect(done.status, path).to.equal(303);
      person.cookie = (await openDashboard(service, person.owner)).cookie;
    }
    expect((await person.owner.get(`/api/drops/${slug}/html`)).text).to.include('Mine');
  });

  it('of more than 64 KiB is not kept: reloading the page after the sign-in gives the text back', async () => {
    const { person } = await prepare();
    const { cookie } = person;
    await endSession(service, person);
    for (const length of [70_000, 300_000]) {
      const fields = { html: `<p>${'x'.repeat(length)}`, key: 'k' };
      const sent = await person.postParts('/drops/new', fields);
      expectErrorPage(sent, 401, 'unauthorized');
      const page = parsePage(sent.text);
      expect(page.find('input', { name: 'kept_form' })).to.equal(undefined);
      expect(sent.text).to.include('reload this page');
      person.cookie = (await openDashboard(service, person.owner)).cookie;
      const reloaded = await person.postParts('/drops/new', { ...fields, form_token: person.formToken });
      expect(reloaded.status).to.equal(403);
      if (length < 256 * 1024) expect(reloaded.text).to.include('x'.repeat(length));
      person.cookie = cookie;
    }
  });

  it('a form that a page of an earlier session had is shown again with what was typed', async () => {
    const { person, slug, edit } = await prepare();
    const form = await person.open(edit);
    const later = await openDashboard(service, person.owner);
    const again = await later.submit(form, { title: 'Typed' }, { action: edit });
    expectRefusal(again, 403, 'forbidden');
    expect(fieldOf(again, 'title')).to.equal('Typed');
    expect((await later.submit(again, {}, { action: edit })).path).to.equal(`/drops/${slug}?notice=saved`);
  });

  it('is shown again after SIGNING_SECRET changed, although the session is valid', async () => {
    const { person, edit } = await prepare();
    const form = await person.open(edit);
    await service.restart({ SIGNING_SECRET: 's'.repeat(32) });
    const again = await person.submit(form, { title: 'Typed' }, { action: edit });
    expectRefusal(again, 403, 'forbidden');
    expect(fieldOf(again, 'title')).to.equal('Typed');
    expect((await person.submit(again, {}, { action: edit })).path).to.include('?notice=saved');
  });

  describe('the text that waits', () => {
    let person: Dashboard;
    let edit: string;
    let kept: string;

    beforeEach(async () => {
      ({ person, edit } = await prepare());
      const { cookie } = person;
      const form = await openAndEnd(person, edit);
      const asked = await person.submit(form, { title: 'Typed' }, { action: edit });
      kept = fieldOf(asked, 'kept_form') ?? expect.fail(asked.text);
      expect(cookie).to.not.equal('');
      person.cookie = (await openDashboard(service, person.owner)).cookie;
    });

    const send = (sender: Person, path = edit, fields: Record<string, string> = {}, headers = {}) =>
      sender.post(path, { kept_form: kept, ...fields }, { headers });

    it('is shown to the account that typed it alone, on the page that had the form, for an hour', async () => {
      service.clock.advance(60 * minute - 1);
      expect((await send(person)).text).to.include('value="Typed"');
      const stranger = await openDashboard(service);
      const other = (await person.owner.create()).slug;
      const refused = [
        await send(stranger),
        await send(person, `/drops/${other}/edit`),
        await send(person, `${edit}?x`),
        await send(person, edit, { kept_form: `${kept.slice(0, -3)}abc` }),
      ];
      service.clock.advance(1);
      refused.push(await send(person));
      for (const answer of refused) {
        expectErrorPage(answer, 403, 'forbidden');
        expect(answer.text).to.not.include('Typed');
      }
    });

    it('is never saved, whatever is sent with it, and is refused from another origin', async () => {
      const later = await openDashboard(service, person.owner);
      const answer = await send(later, edit, { form_token: later.formToken, title: 'Other', if_match: '1' });
      expect(answer.status).to.equal(403);
      expect(answer.text).to.include('value="Typed"');
      for (const origin of ['null', 'https://evil.example'])
        expectErrorPage(await send(later, edit, {}, { origin }), 403, 'forbidden');
      const slug = edit.split('/')[2] ?? '';
      expect((await person.owner.get(`/api/drops/${slug}`)).body.title).to.equal('Before');
    });

    it('a sign-in with another account leads to a page without it', async () => {
      const stranger = await service.newOwner();
      person.cookie = '';
      const shown = await person.open('/sign-in/browser');
      const key = String(service.services.signInKey);
      const fields = { name: stranger.name, key, kept_form: kept };
      const refused = await person.submit(shown, fields, { action: '/sign-in/browser' });
      expectRefusal(refused, 403, 'forbidden');
      expect(refused.answer.text).to.not.include('Typed');
    });

    it('waits on when the person continues without having signed in', async () => {
      person.cookie = '';
      const again = await send(person);
      expectErrorPage(again, 401, 'unauthorized');
      expect(again.text).to.include(kept);
    });
  });
});

describe('A form whose session has ended, with an identity provider', () => {
  const startOwn = useServices();
  const double = useOnce(startGitHubDouble);

  it('waits on its page while the person signs in in another tab', async () => {
    const service = await startOwn({ env: double.env });
    const person = await openDashboard(service);
    const { slug } = await person.owner.create();
    const edit = `/drops/${slug}/edit`;
    const form = await person.open(edit);
    await endSession(service, person);
    const asked = await person.submit(form, { title: 'Typed' }, { action: edit });
    expectRefusal(asked, 401, 'unauthorized');
    const link = asked.page.find('a', { target: '_blank' });
    expect(link?.attributes.href).to.equal('/sign-in/browser?next=%2Fsign-in%2Fready');
    expect((await person.open('/sign-in/ready')).path).to.equal(link?.attributes.href);
    person.cookie = (await openDashboard(service, person.owner)).cookie; // as the other tab leaves it
    expect((await person.open(link?.attributes.href ?? '')).text).to.include('Close this tab');
    const again = await person.submit(asked, {}, { action: edit });
    expect(again.page.find('input', { name: 'title' })?.attributes.value).to.equal('Typed');
  });
});

async function endSession({ services }: TestService, { cookie }: Person): Promise<void> {
  for (const pair of cookie.split('; ')) {
    const found = await services.sessions.identify(pair.replace('dropleaf_session=', ''));
    if (found !== null) await services.sessions.revoke(found.caller, found.session.id);
  }
}

function shownOf(path: string, answer: Shown['answer']): Shown {
  return { status: answer.status, path, answer, page: parsePage(answer.text), text: '' };
}
