import { expect } from 'chai';
import { errorPage } from '../../api/html/error-page.ts';
import { page as pageAround } from '../../api/html/layout.ts';
import { passcodePage, viewerPage } from '../../api/pages/viewer-page.ts';
import { reportFormPage } from '../../api/reports/page.ts';
import {
  approvalView,
  codeView,
  localView,
  problemView,
  providerView,
  type View,
} from '../../api/sign-in/views.ts';
import type { SignIn } from '../../shared/domain/sign-in.ts';
import { parsePage } from '../support/html.ts';

const pieces: readonly string[] = [
  ...`< > " ' & / = \` ; --> <!-- <script> </script> </title> </style> </textarea> <svg/onload=x> &lt; &#60; &quot &amp;lt;`.split(
    ' ',
  ),
  ...`]]> <![CDATA[ </h1> </main> </iframe> </form> javascript:x #{x} {{x}} <?x word 😀`.split(' '),
  ...[' ', '\n', '\t', '\0', '\u2028', '\ufeff', '\ud800', '\u202e'],
  ...['<img src=x onerror=alert(1)>', '<base href=x>', '" onmouseover="x', "' autofocus onfocus='x"],
];

/** The same pseudo-random texts in every run. */
function* hostileTexts(count: number): Generator<string> {
  let state = 7;
  const draw = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  yield* pieces;
  for (let n = 0; n < count; n++) {
    yield Array.from({ length: 1 + draw(8) }, () => pieces[draw(pieces.length)] ?? '').join('');
  }
}

const signInPage = (view: View) => pageAround(view).html;

const signIn = (text: string): SignIn => ({
  ...{ id: 'x', codeHash: 'x', pollHash: 'x', label: text, accountId: null, status: 'pending' },
  ...{ requester: { address: text, userAgent: text }, createdAt: 0, expiresAt: 600_000 },
});

/** Every page that shows text from users, with the same text in every place. */
const pages: Record<string, (text: string) => string> = {
  viewer: (text) =>
    viewerPage({
      ...{ title: text, description: text, url: 'https://drops.example/p/abc', rawUrl: text },
      ...{ version: 1, latestVersion: 2, context: null, indexable: true, reportPath: text },
    }).html,
  passcode: (text) =>
    passcodePage({ action: text, envelope: { error: { code: 'invalid_arg', message: text } } }).html,
  error: (text) =>
    errorPage(418, { error: { code: 'invalid_arg', message: text, details: { field: text } } }).html,
  'a locked raw page': (text) =>
    errorPage(403, { error: { code: 'passcode_required', message: text, details: { url: text } } }).html,
  report: (text) =>
    reportFormPage({
      ...{ action: text, id: text, url: text, maxCharacters: 9, contactMaxCharacters: 9 },
      filled: { reason: text, text, contact: text },
      envelope: { error: { code: 'invalid_arg', message: text } },
    }).html,
  'the code': (text) => signInPage(codeView({ action: text, code: text, error: text, provider: `p${text}` })),
  'name and key': (text) =>
    signInPage(localView({ action: text, name: text, error: { field: 'key', message: text } })),
  'the way to the provider': (text) => signInPage(providerView({ provider: text, url: text })),
  'a problem': (text) => signInPage(problemView({ title: text, message: text, next: { href: text, text } })),
};

/** The elements and their attribute names, without text. */
function skeleton(html: string): string {
  const page = parsePage(html);
  return page
    .all('*')
    .map(({ tag, attributes, inside }) => `${inside.length} ${tag} ${Object.keys(attributes)}`)
    .join('\n');
}

describe('Text from users never becomes markup', () => {
  for (const [name, make] of Object.entries(pages)) {
    it(`${name}: text adds and removes no element and no attribute`, () => {
      const plain = skeleton(make('x'));
      expect(plain.split('\n')).to.have.length.above(10);
      for (const text of hostileTexts(300))
        expect(skeleton(make(text)), JSON.stringify(text)).to.equal(plain);
    });
  }

  it('the approval page: only the marks for invisible characters are added', () => {
    const make = (text: string) =>
      signInPage(
        approvalView({
          ...{ action: text, code: text, signIn: signIn(text), signedInAs: text, switchPath: text },
          ...{ formToken: text, now: 0 },
        }),
      );
    const withoutMarks = (html: string) =>
      skeleton(html)
        .split('\n')
        .filter((line) => !line.endsWith(' span class'));
    const plain = withoutMarks(make('x'));
    for (const text of hostileTexts(300))
      expect(withoutMarks(make(text)), JSON.stringify(text)).to.deep.equal(plain);
  });
});
