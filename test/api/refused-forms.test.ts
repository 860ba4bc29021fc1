import { expect } from 'chai';
import { type Dashboard, openOperator } from '../support/dashboard.ts';
import { type HtmlPage, parsePage } from '../support/html.ts';
import { noLimits } from '../support/no-limits.ts';
import { createPerson, fieldsOf, type Person } from '../support/person.ts';
import { useService } from '../support/service.ts';
import { itChangesNothing } from '../support/stored.ts';

/** A form that a person fills in without scripts, in a way that the service refuses. */
interface Refused {
  readonly form: string;
  /** The field that is wrong. */
  readonly field: string;
  readonly value: string;
  /** What the page says. */
  readonly says?: RegExp;
  /** The field at which it says so. Unset: the wrong one. */
  readonly at?: string;
  /** What the wrong field then shows. Unset: the value. */
  readonly shown?: string;
  /** What else was typed. */
  readonly typed?: Readonly<Record<string, string>>;
  /** The button that sends it, where it has a name. */
  readonly button?: Readonly<Record<string, string>>;
  /** Secrets are never repeated in a page. */
  readonly isSecret?: true;
  /** It sends `multipart/form-data`. */
  readonly hasFile?: true;
}

const long = (length: number) => 'x'.repeat(length);
const edit = '/drops/SLUG/edit';
const typed = { description: 'A <description>' };

const publicForms: readonly Refused[] = [
  {
    form: '/report/SLUG',
    field: 'reason',
    value: '',
    typed: { text: 'Look at <this>', contact: 'a@b.example' },
  },
  { form: '/report/SLUG', field: 'text', value: '', typed: { reason: 'other', contact: 'a@b.example' } },
  { form: '/report/SLUG', field: 'contact', value: long(201), typed: { reason: 'illegal', text: 'Look' } },
  { form: '/p/LOCKED', field: 'passcode', value: 'wrong', isSecret: true },
  { form: '/sign-in', field: 'code', value: 'BCDF-GHJK' },
];

const ownForms: readonly Refused[] = [
  {
    form: '/drops/new',
    field: 'title',
    value: long(201),
    typed: { html: '<title>T</title>', tags: 'a=b' },
    hasFile: true,
  },
  {
    form: '/drops/new',
    field: 'tags',
    value: 'a b=c',
    says: /The names of tags must be/,
    typed: { html: '<p>', title: 'My <title>' },
    hasFile: true,
  },
  {
    form: '/drops/new',
    field: 'tags',
    value: 'a=1\na=2',
    says: /The tag a is there twice/,
    typed: { html: '<p>', title: 'My <title>' },
    hasFile: true,
  },
  {
    form: '/drops/new',
    field: 'passcode',
    value: 'abc',
    says: /A passcode has at least 4 characters\./,
    typed: { html: '<p>', title: 'My <title>' },
    isSecret: true,
    hasFile: true,
  },
  {
    form: '/drops/new',
    field: 'passcode',
    value: long(257),
    says: /A passcode has at most 256 characters\./,
    typed: { html: '<p>', title: 'My <title>' },
    isSecret: true,
    hasFile: true,
  },
  {
    form: '/drops/new',
    field: 'html',
    value: '',
    typed: { title: 'My <title>', description: 'D' },
    hasFile: true,
  },
  { form: '/drops/SLUG/new-version', field: 'html', value: '', typed: { context: 'Why' }, hasFile: true },
  {
    form: '/drops/SLUG/new-version',
    field: 'context',
    value: long(65_537),
    typed: { html: '<p>' },
    hasFile: true,
  },
  { form: edit, field: 'title', value: '', says: /title is required/, typed },
  { form: edit, field: 'title', value: ' ', says: /title is required/, typed },
  {
    form: edit,
    field: 'title',
    value: 'é'.repeat(201),
    says: /at most 200 characters \(got 201\)/,
    typed,
  },
  {
    form: edit,
    field: 'description',
    value: long(501),
    says: /at most 500/,
    typed: { title: 'Another' },
  },
  { form: edit, field: 'expires', value: '2001-01-01T00:00', says: /in the future/, typed },
  { form: edit, field: 'expires', value: 'tomorrow', says: /date and time/, typed },
  {
    form: edit,
    field: 'tag_name_1',
    value: 'a b',
    says: /names of tags must be/,
    typed: { tag_value_1: 'x' },
  },
  { form: edit, field: 'tag_value_1', value: 'x', says: /names of tags must be/, at: 'tag_name_1' },
  {
    form: edit,
    field: 'tag_value_1',
    value: long(257),
    says: /The tag b must be at most 256/,
    typed: { tag_name_1: 'b' },
  },
  {
    form: edit,
    field: 'tag_name_1',
    value: 'a',
    says: /The tag a is there twice/,
    typed: { tag_value_1: 'x' },
  },
  {
    form: '/drops/SLUG/passcode',
    field: 'passcode',
    value: 'abc',
    button: { action: 'set' },
    isSecret: true,
  },
  {
    form: '/drops/SLUG/passcode',
    field: 'passcode',
    value: '',
    button: { action: 'set' },
    isSecret: true,
  },
  {
    form: '/drops/SLUG/context',
    field: 'context',
    value: 'é\n'.repeat(30_000),
    says: /at most 65536 bytes/,
  },
  { form: '/account/tokens', field: 'label', value: long(101), typed: { days: '30' } },
  { form: '/account/tokens', field: 'label', value: 'a\0b', shown: 'a\ufffdb', typed: { days: '' } },
  { form: '/account/tokens', field: 'days', value: '8', shown: '', typed: { label: 'cron' } },
  { form: '/account/tokens/TOKEN', field: 'label', value: long(101) },
  { form: '/account/delete', field: 'confirm', value: 'somebody else' },
  { form: '/operators/pages/SLUG/takedown', field: 'reason', value: long(1_001) },
  { form: '/operators/pages/SLUG/takedown', field: 'reason', value: ' ' },
  { form: '/operators/accounts/OWNER/suspend', field: 'reason', value: long(1_001) },
];

/** Forms that are on another page than the address they are sent to. */
const pages: Readonly<Record<string, string>> = { '/account/tokens': '/account' };

describe('A form that is refused, without scripts', () => {
  const service = useService({ ...noLimits, CODE_TRIES: '100', PASSCODE_TRIES: '100' });
  let person: Dashboard;
  let fill: (path: string) => string;

  before(async () => {
    person = await openOperator(service);
    const { slug } = await person.owner.create({ metadata: { a: '1' } });
    const locked = await person.owner.create({ passcode: 'open-sesame' });
    const token = (await person.owner.get('/api/me')).body.token?.id ?? '';
    const other = await service.newOwner();
    fill = (path) =>
      path
        .replace('SLUG', slug)
        .replace('LOCKED', locked.slug)
        .replace('TOKEN', token)
        .replace('OWNER', other.userId);
  });

  for (const [who, forms] of [
    ['anybody', publicForms],
    ['an owner or operator', ownForms],
  ] as const) {
    describe(`of ${who}, saves nothing, and shows itself again with what was typed and the error at its field`, () => {
      itChangesNothing(service);
      for (const refused of forms) {
        const { form, field, value } = refused;
        const shown = value.length > 20 ? `${value.length} characters` : JSON.stringify(value);
        it(`${form} with ${shown} as ${field}`, () =>
          check(who === 'anybody' ? createPerson(service) : person, refused));
      }
    });
  }

  async function check(
    sender: Person,
    { form, field, value, says, at = field, shown, typed = {}, button, isSecret, hasFile }: Refused,
  ) {
    const path = fill(form);
    const opened = await sender.open(fill(pages[form] ?? form));
    const found = formIn(opened.page, path, opened.path);
    const sent = { ...fieldsOf(opened.page, found), ...typed, ...button, [field]: value };
    const answer = hasFile ? await sender.postParts(path, sent) : await sender.post(path, sent);
    expect(answer.status, answer.text).to.be.within(400, 499);
    const page = parsePage(answer.text);
    const again = formIn(page, path, path);
    const values = fieldsOf(page, again);
    for (const [name, text] of Object.entries(typed)) expect(values[name], name).to.equal(text);
    if (isSecret) expect(values[field]).to.equal('');
    else expect(values[field] ?? '').to.equal(shown ?? value);
    const fault = page.find('p', { id: 'fault' });
    expect(fault?.attributes.role).to.equal('alert');
    if (says !== undefined) expect(fault?.text).to.match(says);
    const wrong = page
      .all('*')
      .filter(({ attributes }) => attributes['aria-describedby']?.split(' ').includes('fault'));
    const names = wrong.map(
      (element) => element.attributes.name ?? page.within(element, 'input')[0]?.attributes.name,
    );
    expect(names).to.include(at);
  }
});

/** The form that is sent to the path. @param at the path of the page */
function formIn(page: HtmlPage, path: string, at: string) {
  const forms = page.all('form').filter(({ attributes }) => attributes.method === 'post');
  const found = forms.find(({ attributes: { action } }) => (action ?? at).split('?')[0] === path);
  if (found === undefined) throw new Error(`no form is sent to ${path}: ${page.find('main')?.text}`);
  return found;
}
