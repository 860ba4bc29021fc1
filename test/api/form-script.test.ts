import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { parsePage } from '../support/html.ts';
import { useService } from '../support/service.ts';

/** What a script of our pages sends in place of what a navigation does. */
const script = {
  'x-dropleaf-form': 'page',
  accept: 'text/html',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
};

describe('A form that the script of our pages sends', () => {
  const service = useService();

  async function prepare() {
    const person = await openDashboard(service);
    const { slug } = await person.owner.create({ title: 'Before' });
    const post = (path: string, fields: Record<string, string>, headers = {}) =>
      person.post(path, fields, { headers: { ...script, ...headers } });
    return { person, slug, post, edit: `/drops/${slug}/edit` };
  }

  async function endSession(person: Dashboard): Promise<void> {
    const account = await service.accountOf(person.owner);
    await service.services.moderation.revokeTokens(account, { by: 'root', reason: null });
  }

  it('is answered 204 with the address that it leads to, and its fragment', async () => {
    const { post, slug, person } = await prepare();
    const label = await post('/account/tokens', { label: 'Mine', days: '' });
    expect([label.status, label.text]).to.deep.equal([204, '']);
    expect(label.headers.location).to.match(/^\/account\/tokens\/.+\/new$/);
    const comment = await post(`/p/${slug}/comments`, { act: 'add', text: 'A comment' });
    expect(comment.status, comment.text).to.equal(204);
    expect(comment.headers.location).to.match(/^\/p\/.+\/comments\?v=1#t-[0-9a-f]{32}$/);
    expect((await post('/sign-out', {})).headers.location).to.equal('/sign-in/out');
    expect((await person.open('/drops')).path).to.match(/^\/sign-in/);
  });

  it('is answered with the page of a refusal, as a navigation is', async () => {
    const { post, edit } = await prepare();
    const fields = { title: 'x'.repeat(501), shown: '', if_match: '' };
    const refused = await post(edit, fields);
    expect(refused.status).to.equal(400);
    const page = parsePage(refused.text);
    expect(page.find('input', { name: 'title' })?.attributes.value).to.equal(fields.title);
  });

  it('is answered 401 without a session, and keeps nothing', async () => {
    const { post, edit, person } = await prepare();
    await endSession(person);
    for (const path of [edit, '/sign-out', '/account/tokens']) {
      const { status, text, headers } = await post(path, { title: 'Typed' });
      expect([status, headers.location]).to.deep.equal([401, undefined]);
      expect(text).to.include('"unauthorized"').and.not.include('Typed');
    }
  });

  it('must come from a page of the service all the same', async () => {
    const { post, edit } = await prepare();
    const foreign = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
    expect((await post(edit, { title: 'After' }, foreign)).status).to.equal(403);
    expect((await post(edit, { title: 'After', form_token: 'x' })).status).to.equal(403);
  });

  it('keeps the look of a frame, if a frame has it', async () => {
    const { person, post } = await prepare();
    const { slug } = await person.owner.create({ comments: 'anyone' });
    const refused = async (where: string) =>
      parsePage(
        (await post(`/p/${slug}/comments`, { act: 'add', text: '' }, { 'x-dropleaf-form': where })).text,
      );
    const hasWayBack = async (where: string) =>
      (await refused(where)).all('a').some(({ text }) => text === 'Back to the page');
    expect([await hasWayBack('page'), await hasWayBack('frame')]).to.deep.equal([true, false]);
  });
});
