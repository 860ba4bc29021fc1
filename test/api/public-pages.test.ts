import { expect } from 'chai';
import { createPerson, type Shown } from '../support/person.ts';
import { useService } from '../support/service.ts';

/** Every page with a form that anybody may open; pages that need a session: every-page.test.ts. */
const policyStart = String.raw`^default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; style-src http://127\.0\.0\.1:\d+/assets/; img-src 'self' data: \S+/assets/; manifest-src \S+/manifest\.webmanifest`;
const policy = new RegExp(`${policyStart}$`);
const policyWithForms = new RegExp(
  String.raw`${policyStart}; script-src http://127\.0\.0\.1:\d+/assets/; connect-src 'self'$`,
);

describe('Every page of the sign-in and of reports', () => {
  const service = useService({ REPORTS_OPEN_PER_DROP: '1' });
  const startDevice = async () => (await service.request('POST', '/api/auth/start')).body;

  async function signInOfDevice(): Promise<Shown[]> {
    const person = createPerson(service);
    const typed = await person.open('/sign-in');
    const first = await person.open(`/sign-in?code=${(await startDevice()).code}`);
    const local = await person.submit(first, {});
    const wrong = await person.submit(local, { name: 'ada', key: 'wrong' });
    const asked = await person.submit(local, { name: 'ada', key: String(service.services.signInKey) });
    const request = await person.submit(asked, { answer: 'create' });
    const done = await person.submit(request, { decision: 'approve' });
    const other = createPerson(service);
    return [typed, first, local, wrong, asked, request, done, await other.open('/sign-in/browser')];
  }

  async function reportOfPage(): Promise<Shown[]> {
    const { slug } = await (await service.newOwner()).create({ title: 'TITLE-SECRET' });
    const reader = createPerson(service);
    const second = createPerson(service);
    const form = await reader.open(`/report/${slug}`);
    const refused = await reader.submit(form, { reason: '' });
    const sent = await reader.submit(form, { reason: 'phishing' });
    const other = await second.open(`/report/${slug}`);
    return [form, refused, sent, await second.submit(other, { reason: 'malware' })];
  }

  const noStore = 'no-store';
  const isPrivate = 'private, no-store';
  const expected: readonly (readonly [heading: string, status: number, cacheControl: string])[] = [
    ['Enter the code', 200, noStore],
    ['Confirm the code', 200, noStore],
    ['Sign in', 200, noStore],
    ['Sign in', 403, isPrivate],
    ['There is no account with this name yet. Create it?', 200, noStore],
    ['Allow this device to publish as you?', 200, noStore],
    ['Approved', 200, noStore],
    ['Sign in', 200, noStore],
    ['Report this page', 200, isPrivate],
    ['Report this page', 400, isPrivate],
    ['Report sent', 200, isPrivate],
    ['Already reported', 200, isPrivate],
    ['No sign-in in progress', 400, isPrivate],
  ];

  it('runs no script but ours for forms, cannot be framed, is not stored, posts to our own pages only, and has labelled fields', async () => {
    const shown = [...(await signInOfDevice()), ...(await reportOfPage())];
    shown.push(await createPerson(service).open('/sign-in/approve'));
    expect(
      shown.map(({ page, status, answer }) => [
        page
          .all('h1')
          .map(({ text }) => text)
          .join(),
        status,
        answer.headers['cache-control'],
      ]),
    ).to.deep.equal(expected);
    for (const { path, answer, page } of shown) {
      expect(answer.headers, path).to.include({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      const hasForm = page.find('form', { method: 'post' }) !== undefined;
      expect(answer.headers['content-security-policy'], path).to.match(hasForm ? policyWithForms : policy);
      const scripts = page.all('script').filter(({ attributes }) => attributes.type !== 'application/json');
      const sources = scripts.map(({ attributes }) =>
        attributes.src?.replace(/^\S+\/assets\/|-[\da-f]{12}\.js$/g, ''),
      );
      expect(sources, path).to.deep.equal(hasForm ? ['forms'] : []);
      expect(page.all('main'), path).to.have.length(1);
      expect(answer.text, path).to.not.match(/\son\w+=|style="|TITLE-SECRET/);
      for (const { attributes } of page.all('input')) {
        if (attributes.type === 'hidden' || attributes.type === 'radio') continue; // radios stand inside their labels
        expect(page.find('label', { for: attributes.id ?? '' }), `${path} ${attributes.name}`).to.not.equal(
          undefined,
        );
      }
    }
  });
});
