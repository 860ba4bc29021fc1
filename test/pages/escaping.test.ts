import { expect } from 'chai';
import { errorPage } from '../../api/html/error-page.ts';
import { page as pageAround } from '../../api/html/layout.ts';
import { passcodePage } from '../../api/pages/passcode-page.ts';
import { viewerPage } from '../../api/pages/viewer-page.ts';
import { reportPage } from '../../api/reports/page.ts';
import { codeView } from '../../api/sign-in/code-page.ts';
import { problemView } from '../../api/sign-in/end-pages.ts';
import { leavingView } from '../../api/sign-in/leaving-page.ts';
import { localView } from '../../api/sign-in/local-page.ts';
import { requestView } from '../../api/sign-in/request-page.ts';
import type { View } from '../../api/sign-in/view.ts';
import type { SignIn } from '../../shared/domain/sign-in.ts';
import { parsePage } from '../support/html.ts';

const pieces: readonly string[] = [
  ...[
    '<',
    '>',
    '"',
    "'",
    '&',
    '/',
    '=',
    '`',
    ' ',
    '\n',
    '\t',
    '\0',
    '\u2028',
    '\ufeff',
    '\ud800',
    ';',
    '-->',
    '<!--',
  ],
  ...[
    '<script>',
    '</script>',
    '<img src=x onerror=alert(1)>',
    '</title>',
    '</style>',
    '</textarea>',
    '<svg onload=x>',
  ],
  ...[
    '&lt;',
    '&#60;',
    '&quot',
    '&amp;lt;',
    ']]>',
    '<![CDATA[',
    '</h1>',
    '</main>',
    '</iframe>',
    '</form>',
    '<base href=x>',
  ],
  ...[
    '" onmouseover="x',
    "' autofocus onfocus='x",
    'javascript:x',
    '#{x}',
    '{{x}}',
    '<?x',
    '\u202e',
    'word',
    '😀',
  ],
];

/** The same texts in every run. */
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

/** Every page that shows somebody's words, with one text wherever there can be any. */
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
    reportPage({
      ...{ action: text, id: text, url: text, maxCharacters: 9, contactMaxCharacters: 9 },
      filled: {
        ...{ reason: text, text, contact: text },
        envelope: { error: { code: 'invalid_arg', message: text } },
      },
    }).html,
  'the code': (text) => signInPage(codeView({ action: text, code: text, fault: text, provider: `p${text}` })),
  'name and key': (text) =>
    signInPage(localView({ action: text, name: text, fault: { field: 'key', message: text } })),
  'the way to the provider': (text) => signInPage(leavingView({ provider: text, url: text })),
  'a problem': (text) => signInPage(problemView({ title: text, message: text, next: { href: text, text } })),
};

/** The elements, with the names of their attributes and without their words. */
function skeleton(html: string): string {
  const page = parsePage(html);
  return page
    .all('*')
    .map(({ tag, attributes, inside }) => `${inside.length} ${tag} ${Object.keys(attributes)}`)
    .join('\n');
}

describe('Whatever somebody calls themselves or their page, it stays words', () => {
  for (const [name, make] of Object.entries(pages)) {
    it(`${name}: no text adds an element or an attribute, or takes one away`, () => {
      const plain = skeleton(make('x'));
      expect(plain.split('\n')).to.have.length.above(10);
      for (const text of hostileTexts(300))
        expect(skeleton(make(text)), JSON.stringify(text)).to.equal(plain);
    });
  }

  it('what is asked for approval: only signs for hidden characters are added', () => {
    const make = (text: string) =>
      signInPage(
        requestView({
          ...{ action: text, code: text, signIn: signIn(text), signedInAs: text, switchPath: text },
          ...{ formToken: text, now: 0 },
        }),
      );
    const withoutSigns = (html: string) =>
      skeleton(html)
        .split('\n')
        .filter((line) => !line.endsWith(' span class'));
    const plain = withoutSigns(make('x'));
    for (const text of hostileTexts(300))
      expect(withoutSigns(make(text)), JSON.stringify(text)).to.deep.equal(plain);
  });
});
