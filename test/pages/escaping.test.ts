import { expect } from 'chai';
import { askForm } from '../../api/access-requests/ask.ts';
import { askingSection } from '../../api/access-requests/asking.ts';
import { commentsPage, refusalPage } from '../../api/comments/pages/views.ts';
import { ownCommentsPage } from '../../api/dashboard/comments/page.ts';
import { editPage } from '../../api/dashboard/drop/edit.ts';
import { dropPage } from '../../api/dashboard/drop/page.ts';
import { setPasscodePage } from '../../api/dashboard/drop/passcode.ts';
import { sharePage } from '../../api/dashboard/drop/share.ts';
import { sharedPage } from '../../api/dashboard/shared/page.ts';
import { errorPage } from '../../api/html/error-page.ts';
import { html } from '../../api/html/html.ts';
import type { PageParts } from '../../api/html/layout.ts';
import { noRightPage } from '../../api/pages/no-right-page.ts';
import { versionsPage } from '../../api/pages/page-parts.ts';
import { enterPasscodePage } from '../../api/pages/viewer.ts';
import { viewerPage } from '../../api/pages/viewer-page.ts';
import { reportFormPage } from '../../api/reports/reports.ts';
import { localPage, namePage, newAccountPage, takenPage } from '../../api/sign-in/local-views.ts';
import { approvalPage, codePage, problemPage, providerPage } from '../../api/sign-in/views.ts';
import type { Author } from '../../shared/comments/comment.ts';
import type { ListedComment } from '../../shared/comments/comment-store.ts';
import type { Token } from '../../shared/credentials/token.ts';
import { type Code, DropError, type ErrorDetails } from '../../shared/domain/errors.ts';
import type { Drop, PageWithVersion } from '../../shared/drops/drop.ts';
import type { SignIn } from '../../shared/sign-ins/sign-in.ts';
import { aToken } from '../contract/records.ts';
import { parsePage } from '../support/html.ts';
import { barePageOf, pageOf, ways } from '../support/layout.ts';

const place = { baseUrl: 'https://drops.example', address: '/' };
const pieces: readonly string[] = [
  ...`< > " ' & / = \` ; --> <!-- <script> </script> </title> </style> </textarea> <svg/onload=x> &lt; &#60; &quot &amp;lt;`.split(
    ' ',
  ),
  ...`]]> <![CDATA[ </h1> </main> </iframe> </form> javascript:x #{x} {{x}} <?x word 😀`.split(' '),
  ' ',
  '\n',
  '\t',
  '\0',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u202e',
  '<img src=x onerror=alert(1)>',
  '<base href=x>',
  '" onmouseover="x',
  "' autofocus onfocus='x",
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
    yield Array.from({ length: 1 + draw(20) }, () => pieces[draw(pieces.length)] ?? '').join('');
  }
}

const signIn = (text: string): SignIn => ({
  id: 'x',
  codeHash: 'x',
  pollHash: 'x',
  label: text,
  scope: 'all',
  accountId: null,
  status: 'pending',
  requesterAddress: text,
  requesterAgent: text,
  createdAt: 0,
  expiresAt: 600_000,
});

const htmlOf = (page: PageParts) => pageOf(page).html;
const failure = (code: Code, message: string, details?: ErrorDetails) =>
  new DropError(code, message, details);

/** Every page that shows text from users, with the same text in every place. */
const pages: Record<string, (text: string) => string> = {
  viewer: (text) =>
    barePageOf(
      viewerPage({
        baseUrl: 'https://drops.example',
        slug: 'abc',
        title: text,
        description: text,
        rawUrl: text,
        version: 1,
        versionId: text,
        createdAt: 0,
        latestVersion: 2,
        isPinned: false,
        isLocked: true,
        access: 'link',
        context: null,
        indexable: true,
        cardDigest: 'x',
        comments: 'anyone',
        commentsScript: text,
      }),
    ).html,
  passcode: (text) =>
    htmlOf(
      enterPasscodePage({
        action: text,
        baseUrl: 'https://drops.example',
        page: { slug: 'abc', access: 'link' },
        error: failure('invalid_arg', text),
      }),
    ),
  'no right': (text) =>
    htmlOf(
      noRightPage({
        address: text,
        session: { accountName: text, caller: { isSuspended: false } },
        ask: null,
      }),
    ),
  error: (text) => htmlOf(errorPage(418, failure('invalid_arg', text, { field: text }), place)),
  'a page that is gone': (text) =>
    htmlOf(errorPage(404, failure('not_found', text), { ...place, address: `/p/t9?v=${text}` })),
  'a locked raw page': (text) =>
    htmlOf(errorPage(403, failure('passcode_required', text, { url: text }), place)),
  report: (text) =>
    pageOf(
      reportFormPage({
        what: 'comment',
        action: text,
        id: text,
        url: text,
        maxCharacters: 9,
        contactMaxCharacters: 9,
        filled: { reason: text, text, contact: text },
        error: failure('invalid_arg', text),
      }),
    ).html,
  versions: (text) => htmlOf(versionsPage('abc', text, [])),
  'the code': (text) =>
    htmlOf(
      codePage(text, [{ way: 'oidc', name: `p${text}`, reads: text }], {
        error: failure('invalid_arg', text),
      }),
    ),
  'a name that cannot be derived': (text) =>
    htmlOf(namePage({ action: text }, text, text, failure('invalid_arg', text, { field: 'name' }))),
  'a name that is taken': (text) => htmlOf(takenPage({ action: text }, text, text)),
  'name and key': (text) =>
    htmlOf(localPage({ action: text }, text, failure('forbidden', text, { field: 'key' }))),
  'the way to the provider': (text) => htmlOf(providerPage(text, text, text)),
  'a problem': (text) => htmlOf(problemPage(text, failure('forbidden', text), { href: text, text })),
};

function approval(text: string, revocable: readonly Token[] | null) {
  const shown = { other: { href: text, text }, revocable, hasRevoked: false, scope: 'all' as const };
  return approvalPage({ code: text, name: text, formToken: text }, signIn(text), shown, 0);
}

/** The pages that show invisible characters by their code, and lines, as marks that these texts add. */
const marked: Record<string, (text: string) => string> = {
  'a new account': (text) =>
    htmlOf(newAccountPage({ action: text }, { name: `n ${text}`, typed: text }, text)),
  'the approval page': (text) => htmlOf(approval(text, null)),
  'the approval page of an account that must revoke a token': (text) =>
    htmlOf(approval(text, [{ ...aToken(), label: text }])),
  "an owner's drop": (text) => htmlOf(ownedPage(drop(text), text)),
  "an owner's drop that was taken down": (text) =>
    htmlOf(ownedPage({ ...drop(text), takedown: { at: 0, reason: text } }, text)),
  'the details of a drop': (text) => htmlOf(details(text, 'invalid_arg')),
  'the details after a conflict': (text) => htmlOf(details(text, 'version_conflict')),
  'comments on a page': (text) => barePageOf(comments(text)).html,
  'comments on a page, after an answer was refused': (text) => barePageOf(comments(text, 'reply')).html,
  'comments on a page, after a change was refused': (text) => barePageOf(comments(text, 'edit')).html,
  'comments on a page, after a new one was refused': (text) => barePageOf(comments(text, 'add')).html,
  'no comments on a page': (text) =>
    barePageOf(refusalPage({ page: page(text), action: text, isSignedIn: false, isFramed: false })).html,
  "an owner's comments": (text) => htmlOf(ownComments(text)),
  'who can read a drop': (text) =>
    htmlOf(
      sharePage(
        {
          drop: { ...drop(text), access: 'named', people: [text, '@x.org'] },
          values: { access: 'named', people: text },
          formField: html``,
          error: failure('invalid_arg', text, { field: 'people' }),
        },
        { ...ways, BASE_URL: 'https://drops.example' },
      ),
    ),
  'what is shared': (text) =>
    htmlOf(
      sharedPage({
        drops: [
          {
            slug: 'abc',
            title: text,
            description: text,
            locked: true,
            updatedAt: 0,
            ownerName: text,
          },
        ],
        next: text,
        isContinued: true,
        entries: [text, text],
      }),
    ),
  'a question for access': (text) =>
    htmlOf({
      title: 'Ask',
      body: html`<h1>Ask</h1>${askForm({ slug: 'abc', standing: { may: true, address: text }, formField: html`` })}`,
    }),
  'the passcode of a drop': (text) =>
    htmlOf(
      setPasscodePage({
        drop: drop(text),
        formField: html``,
        minCharacters: 4,
        error: failure('passcode_too_short', text),
      }),
    ),
};

/** The elements and their attribute names, without text. */
function skeleton(page: string, isLeftOut: (line: string) => boolean = () => false): string[] {
  return parsePage(page)
    .all('*')
    .map(({ tag, attributes, inside }) => `${inside.length} ${tag} ${Object.keys(attributes)}`)
    .filter((line) => !isLeftOut(line));
}

describe('Text from users adds and removes no element and no attribute', () => {
  for (const [name, make] of Object.entries({ ...pages, ...marked })) {
    it(name in marked ? `${name}, but for the marks of invisible characters and lines` : name, () => {
      const isMark = (line: string) => name in marked && / (span class|br |bdi )$/.test(line);
      const plain = skeleton(make('x'), isMark);
      expect(plain).to.have.length.above(10);
      for (const text of hostileTexts(40))
        expect(skeleton(make(text), isMark), JSON.stringify(text)).to.deep.equal(plain);
    });
  }
});

function drop(text: string): Drop {
  return {
    id: 'x',
    ownerId: 'x',
    slug: 'abc',
    title: text,
    description: text,
    metadata: new Map([[text, text]]),
    locked: false,
    latestVersion: 1,
    viewCount: 1,
    createdAt: 0,
    updatedAt: 0,
    rev: 1,
    takedown: null,
    expiresAt: 1,
    comments: 'members',
    access: 'link',
    people: null,
  };
}

function ownedPage(owned: Drop, text: string) {
  const facts = { id: 'x', number: 1, sizeBytes: 1, hasContext: true, mediaType: 'text/html', createdAt: 0 };
  return dropPage({
    drop: owned,
    notice: text,
    formField: html``,
    config: { BASE_URL: 'https://drops.example', HTML_MAX_BYTES: 1, CONTEXT_MAX_BYTES: 1 },
    stats: { viewCount: 1, days: [{ date: '2026-01-31', views: 1 }] },
    range: { key: '30', days: 1, name: '30 days', step: 1 },
    preview: { src: text, sandbox: '', source: '' },
    comments: { open: 1, held: 1 },
    versions: [{ ...facts, publishedBy: { kind: 'token', id: 'x', label: text }, sha256: null }],
  });
}

function page(text: string): PageWithVersion {
  const version = { id: 'v2', number: 2, hasContext: false, mediaType: 'text/html', createdAt: 0 };
  const { id: dropId, ...fields } = drop(text);
  return { ...fields, dropId, lock: null, isTakenDown: false, version: { ...version, sizeBytes: 1 } };
}

/** A thread of every kind. */
function threads(text: string, reader: Author): ListedComment[] {
  const author = { ...reader, name: text, via: text };
  const sides = { prefix: text, suffix: text };
  const noted = { sides: 'found' as const, standing: null, context: sides, changedTo: text };
  const anchor = { quote: text, ...sides, position: 1, ...noted };
  const reply = { id: 'r', author, text, createdAt: 0 };
  const thread: Omit<ListedComment, 'state'> = {
    id: 'x',
    ownerId: 'x',
    dropId: 'x',
    slug: 'abc',
    versionId: 'v1',
    version: 1,
    anchor,
    author,
    text,
    inLatest: 'changed' as const,
    kind: 'comment' as const,
    replies: [reply],
    replyCount: 5,
    resolvedBy: { versionId: 'x', version: 2 },
    resolving: [],
    seq: 1,
    otherSeq: 1,
    createdAt: 0,
    updatedAt: 0,
    updatedBy: null,
  };
  const byOther = { ...author, accountId: 'y' };
  return (['open', 'held', 'resolved'] as const).flatMap((state): ListedComment[] => [
    { ...thread, state },
    { ...thread, state, author: byOther },
  ]);
}

function threadsView(text: string, role: Author['role'], act?: string) {
  const reader = { role, accountId: 'x', guest: null, name: text, via: null, tokenId: null };
  const fields = { act: act ?? '', id: 'x', text, name: text, quote: text, prefix: text, position: text };
  const attempt = { form: new Map(Object.entries(fields)), error: failure('invalid_arg', text) };
  const view = { reader, versionId: 'v2', action: text, wholePath: () => text, fields: html`` };
  return act === undefined ? view : { ...view, attempt };
}

function comments(text: string, act?: string) {
  const view = threadsView(text, act === 'add' ? 'guest' : 'member', act);
  return commentsPage({
    page: page(text),
    address: { slug: 'abc', version: 1, filter: 'open', before: null, thread: null } as const,
    shown: { threads: threads(text, view.reader), next: 7 },
    counts: { open: 1, mine: 3, resolved: 4 },
    view,
    isFramed: false,
  });
}

function ownComments(text: string) {
  const view = {
    ...threadsView(text, 'owner', 'edit'),
    versionId: null,
    waits: null,
    asking: askingSection(
      [{ slug: 'abc', title: text, accountId: text, name: text, address: text, askedAt: 0 }],
      html``,
    ),
    counts: { open: 1, held: 0, resolved: 0 },
  };
  return ownCommentsPage(
    'open',
    [{ slug: 'abc', title: text, threads: threads(text, view.reader) }],
    7,
    view,
  );
}

/** After a change that was refused. */
function details(text: string, code: 'invalid_arg' | 'version_conflict') {
  const metadata = new Map([['other', text]]);
  const other = { ...drop(text), title: 'Another', description: 'Another', metadata, expiresAt: null };
  const fields = [{ field: `metadata.${text}`, code, message: text }];
  return editPage({
    drop: other,
    formField: html``,
    maxTags: 10,
    values: {
      title: text,
      description: text,
      expires: text,
      comments: text,
      ifMatch: text,
      shown: text,
      tags: [[text, text]],
    },
    error: failure(code, text, { fields }),
  });
}
