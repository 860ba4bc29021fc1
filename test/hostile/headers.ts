import { type HostileCase, refused } from './case.ts';

const me = { status: 200, text: '"user_id"' };
const many = (count: number, line: string) => Array.from({ length: count }, () => line);

function meWith(name: string, headers: readonly string[], answer: HostileCase['answer']): HostileCase {
  return { name, path: '/api/me', headers, answer };
}

/** The address of a drop is that of the configuration, for every client and every Host. */
function dropWith(...headers: readonly string[]): HostileCase {
  const answer = { status: 200, text: '"url":"{base}/p/{slug}"' };
  return {
    name: `${headers} does not change the URLs in answers`,
    path: '/api/drops/{slug}',
    headers,
    answer,
  };
}

function rawWith(name: string, headers: readonly string[], answer: HostileCase['answer'], page = 'slug') {
  return { name, path: `/p/{${page}}/raw`, headers, answer };
}

/** The passcode form. */
function form(name: string, body: string, answer: HostileCase['answer'], ...more: string[]): HostileCase {
  const origin = more.some((line) => line.startsWith('origin')) ? [] : ['origin: {base}'];
  const headers = ['content-type: application/x-www-form-urlencoded', ...origin, ...more];
  return { name, method: 'POST', path: '/p/{locked}', isAnonymous: true, headers, body: () => body, answer };
}

function typed(name: string, types: readonly string[], answer: HostileCase['answer']): HostileCase {
  const headers = types.map((type) => `content-type: ${type}`);
  const body = () => '{"title":"t","html":"h"}';
  return { name, method: 'POST', path: '/api/drops', headers, body, answer };
}

/** Without a token. */
function anonymous(
  name: string,
  method: string,
  path: string,
  answer: HostileCase['answer'],
  ...headers: readonly string[]
): HostileCase {
  return { name, method, path, isAnonymous: true, headers, answer };
}

const wrongType = refused(415, 'invalid_json', { header: 'Content-Type' });
const wrongExpect = refused(417, 'invalid_arg', { header: 'Expect' });
const noToken = refused(401, 'unauthorized');
const forbidden = refused(403, 'forbidden');
const noMethod = refused(405, 'invalid_arg');
const twoHosts = refused(400, 'invalid_arg', { header: 'Host' });
const passcodeForm = { status: 200, text: '<form' };
const tooLarge = refused(431, 'invalid_arg');
const locked = refused(403, 'passcode_required');
const page = { status: 200, text: 'A page' };

export const headers: readonly HostileCase[] = [
  dropWith('host: evil.example'),
  dropWith('host: a@b'),
  dropWith('host:'),
  dropWith('x-forwarded-host: evil.example'),
  dropWith('x-forwarded-proto: gopher'),
  dropWith('x-forwarded-prefix: /evil', 'x-original-url: /evil'),
  dropWith('forwarded: for=1.2.3.4;host=evil.example;proto=https'),
  dropWith('x-http-method-override: DELETE', 'x-method: DELETE'),
  meWith('two Hosts', ['host: localhost', 'host: evil.example'], twoHosts),
  anonymous(
    'X-Forwarded-Host for a locked page',
    'GET',
    '/p/{locked}',
    passcodeForm,
    'x-forwarded-host: a.example',
  ),
  meWith('201 headers', many(200, 'x: y'), tooLarge),
  meWith('2,001 headers before Authorization', many(2_001, 'a:'), tooLarge),
  meWith('a header of 17 KB', [`x: ${'y'.repeat(17_000)}`], tooLarge),
  meWith('a name of 17 KB', [`${'x'.repeat(17_000)}: y`], tooLarge),
  meWith('__proto__ as a header', ['__proto__: x', 'constructor: y'], me),
  meWith('bytes beyond ASCII in a header', ['x: \xff\xfe'], me),
  meWith('a scheme that is not Bearer', ['authorization: Basic e3Rva2VufQ=='], noToken),
  meWith('Bearer without a token', ['authorization: Bearer '], noToken),
  meWith('two tokens in one header', ['authorization: Bearer {token} {token}'], noToken),
  meWith(
    'two tokens: the first counts',
    ['authorization: Bearer no', 'authorization: Bearer {token}'],
    noToken,
  ),
  meWith('a token of 10 KB', [`authorization: Bearer dl_${'x'.repeat(10_000)}`], noToken),
  anonymous(
    'a token in a cookie',
    'GET',
    '/api/me',
    noToken,
    'cookie: token={token}; authorization=Bearer {token}',
  ),
  anonymous(
    'a token in a cookie, with another header',
    'GET',
    '/api/me',
    noToken,
    'authorization: x',
    'cookie: token={token}; authorization=Bearer {token}',
  ),
  anonymous('a token in the query', 'GET', '/api/me?access_token={token}', noToken),
  meWith('Expect with an unknown value', ['expect: 200-ok'], wrongExpect),
  meWith('Expect with two values', ['expect: 100-continue, x'], wrongExpect),
  rawWith('Expect with an unknown value, for a raw page', ['expect: x'], wrongExpect),
  meWith('Upgrade to websocket is ignored', ['connection: upgrade', 'upgrade: websocket'], me),
  meWith(
    'Upgrade to HTTP/2 is ignored',
    ['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABk'],
    me,
  ),
  meWith('Accept of 15 KB', [`accept: ${'a/b;q=0.1,'.repeat(1_500)}`], me),
  meWith('a malformed Accept', ['accept: ;;;,,,q=q'], me),
  rawWith('Accept-Encoding of 10 KB', [`accept-encoding: ${'x;q=0.5,'.repeat(1_200)}`], page),
  rawWith('If-None-Match of 10 KB', [`if-none-match: ${'"x",'.repeat(2_500)}`], page),
  rawWith('a Range beyond the end', ['range: bytes=0-0,5-999999999999,-0'], page),
  rawWith('800 cookies of one name', [`cookie: ${'dropleaf_pass=x; '.repeat(800)}`], locked, 'locked'),
  rawWith('a forged cookie', ['cookie: dropleaf_pass=eyJhbGciOiJub25lIn0.e30.'], locked, 'locked'),
  form('a form of another origin', 'passcode=open-sesame', forbidden, 'origin: https://evil.example'),
  form('a form with Origin: null', 'passcode=open-sesame', forbidden, 'origin: null'),
  form('a form of 9 KB', `passcode=${'x'.repeat(9_000)}`, refused(413, 'invalid_arg')),
  form('a form of 1,900 fields', `${'a=b&'.repeat(1_900)}passcode=open-sesame`, { status: 303 }),
  form('a compressed form', 'x', refused(415, 'invalid_arg'), 'content-encoding: gzip'),
  form('a form whose field comes twice', 'passcode=open-sesame&passcode=open-sesame', locked),
  form('a form whose field is an array', 'passcode[]=open-sesame', locked),
  typed('two types: the first counts', ['text/plain', 'application/json'], wrongType),
  typed('a type of 10 KB', [`application/json${';x'.repeat(5_000)}`], { status: 201 }),
  { name: 'TRACE', method: 'TRACE', path: '/api/me', answer: noMethod },
  anonymous('PURGE of a raw page', 'PURGE', '/p/{slug}/raw', noMethod),
  anonymous(
    'a preflight',
    'OPTIONS',
    '/api/drops',
    noMethod,
    'origin: https://evil.example',
    'access-control-request-method: POST',
  ),
];
