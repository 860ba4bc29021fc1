import { gzipSync } from 'node:zlib';
import { bad, type HostileCase, refused } from './case.ts';

const mib = 1024 * 1024;
const broken = refused(400, 'invalid_json');

const wrong = (header: string) => refused(415, 'invalid_json', { header });

/** A POST of a drop with these bytes. */
function post(name: string, body: HostileCase['body'], answer: HostileCase['answer'], headers?: string[]) {
  return {
    name,
    method: 'POST',
    path: '/api/drops',
    body,
    answer,
    ...(headers && { headers }),
  } as HostileCase;
}

/** A valid title and html, followed by these members. */
function withMembers(members: string): () => string {
  return () => `{"title":"t","html":"h",${members}}`;
}

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, n) => `"k${n}":"v"`).join();
}

function bytes(before: string, odd: readonly number[], after: string): () => Uint8Array {
  return () => Buffer.concat([Buffer.from(before), Buffer.from(odd), Buffer.from(after)]);
}

/** Bodies of POST /api/drops, and of the other endpoints that take one. */
export const bodies: readonly HostileCase[] = [
  post('12 MB of [', () => '['.repeat(12 * mib), broken),
  post('12 MB of {"a":', () => '{"a":'.repeat((12 * mib) / 5), broken),
  post('17 levels of arrays, closed', () => `${'['.repeat(17)}${']'.repeat(17)}`, broken),
  post('16 levels', withMembers(`"x":${'['.repeat(15)}${']'.repeat(15)}`), { status: 201 }),
  post('17 levels', withMembers(`"x":${'['.repeat(16)}${']'.repeat(16)}`), broken),
  post('900,000 keys', () => `{${manyKeys(900_000)}}`, broken),
  post('1,000 commas', withMembers(`"x":[${'1,'.repeat(998)}1]`), { status: 201 }),
  post('1,001 commas', withMembers(`"x":[${'1,'.repeat(999)}1]`), broken),
  post('9,990 keys of metadata', withMembers(`"metadata":{${manyKeys(9_990)}}`), broken),
  post('deep nesting in an unknown field', withMembers(`"x":${'['.repeat(100)}${']'.repeat(100)}`), broken),
  post(
    'brackets inside strings are text',
    () => `{"title":"${'['.repeat(150)}","html":"${'{'.repeat(500)}"}`,
    { status: 201 },
  ),
  post('an unfinished string of 1 MB', () => `{"title":"${'x'.repeat(mib)}`, broken),
  post('a number of 100,000 digits', withMembers(`"x":${'9'.repeat(100_000)}`), { status: 201 }),
  post('a hexadecimal number', withMembers('"x":0x10'), broken),
  post('1e999', withMembers('"title":1e999'), bad('title')),
  post('a comment', () => '{"title":"t",/* */"html":"h"}', broken),
  post('two values', () => '{"title":"t","html":"h"}{"title":"u","html":"i"}', broken),
  post('a trailing NUL', () => '{"title":"t","html":"h"}\0', broken),
  post('a byte order mark', bytes('', [0xef, 0xbb, 0xbf], '{"title":"t","html":"h"}'), { status: 201 }),
  post('UTF-16', () => Buffer.from('\ufeff{"title":"t","html":"h"}', 'utf16le'), broken),
  post('charset=utf-7', () => '{"title":"t","html":"h"}', wrong('Content-Type'), [
    'content-type: application/json; charset=utf-7',
  ]),
  post('the byte 0xFF, which UTF-8 never has', bytes('{"title":"', [0xff], '","html":"h"}'), broken),
  post('a slash in overlong UTF-8', bytes('{"title":"', [0xc0, 0xaf], '","html":"h"}'), broken),
  post('a surrogate in UTF-8', bytes('{"title":"', [0xed, 0xa0, 0x80], '","html":"h"}'), broken),
  post('a code point above U+10FFFF', bytes('{"title":"', [0xf4, 0x90, 0x80, 0x80], '","html":"h"}'), broken),
  post('a lone surrogate is stored as U+FFFD', () => '{"title":"a\\ud800b","html":"h"}', {
    status: 201,
    text: '"title":"a\ufffdb"',
  }),
  post('NUL in a title', () => '{"title":"a\\u0000","html":"h"}', bad('title')),
  post('NUL in a passcode', withMembers('"passcode":"abcd\\u0000"'), bad('passcode')),
  post(
    '__proto__ with the fields',
    () => '{"__proto__":{"title":"t"},"html":"h"}',
    bad('title', 'title_required'),
  ),
  post(
    'constructor.prototype with the fields',
    () => '{"constructor":{"prototype":{"title":"t"}},"html":"h"}',
    bad('title', 'title_required'),
  ),
  post('__proto__ as a key of metadata is an ordinary key', withMembers('"metadata":{"__proto__":"a"}'), {
    status: 201,
    text: '"metadata":{"__proto__":"a"}',
  }),
  post(
    'constructor and toString as keys of metadata',
    withMembers('"metadata":{"constructor":"a","toString":"b"}'),
    { status: 201, text: '"toString":"b"' },
  ),
  post('title as an array', () => '{"title":["t"],"html":"h"}', bad('title')),
  post('title as an object with toString', () => '{"title":{"toString":"t"},"html":"h"}', bad('title')),
  post('html as an array', () => '{"title":"t","html":["h"]}', bad('html')),
  post('html as null', () => '{"title":"t","html":null}', bad('html')),
  post(
    'a title of 201 emoji',
    () => `{"title":"${'😀'.repeat(201)}","html":"h"}`,
    bad('title', 'title_too_long'),
  ),
  post('a title of white space', () => '{"title":" \\t ","html":"h"}', bad('title', 'title_required')),
  post(
    'a description of 501',
    withMembers(`"description":"${'x'.repeat(501)}"`),
    bad('description', 'description_too_long'),
  ),
  post(
    'a context of 65,537 bytes',
    withMembers(`"context":"${'x'.repeat(65_537)}"`),
    bad('context', 'context_too_large'),
  ),
  post('a passcode of 3', withMembers('"passcode":"abc"'), bad('passcode', 'passcode_too_short')),
  post('a passcode of 1 MB', withMembers(`"passcode":"${'x'.repeat(mib)}"`), bad('passcode')),
  post('metadata as an array', withMembers('"metadata":["a"]'), bad('metadata')),
  post('metadata as a string', withMembers('"metadata":"a"'), bad('metadata')),
  post('metadata with a number', withMembers('"metadata":{"a":1}'), bad('metadata.a')),
  post('metadata with an object', withMembers('"metadata":{"a":{"$gt":""}}'), bad('metadata.a')),
  post(
    'a key of metadata that is an operator',
    withMembers('"metadata":{"$where":"1"}'),
    bad('metadata.$where'),
  ),
  post('a key of metadata that ends in a dot', withMembers('"metadata":{"a.":"1"}'), bad('metadata.a.')),
  post('an empty key of metadata', withMembers('"metadata":{"":"1"}'), bad('metadata.')),
  post(
    '11 keys of metadata',
    withMembers(`"metadata":{${Array.from({ length: 11 }, (_, n) => `"k${n}":"v"`).join()}}`),
    bad('metadata'),
  ),
  post(
    'fields that only the service sets are ignored',
    withMembers('"slug":"mine","view_count":9,"locked":true'),
    { status: 201, text: '"view_count":0' },
  ),
  post('a gzip bomb', () => gzipSync(Buffer.alloc(50 * mib)), wrong('Content-Encoding'), [
    'content-encoding: gzip',
  ]),
  post('two encodings', () => gzipSync('{}'), wrong('Content-Encoding'), [
    'content-encoding: identity, gzip',
  ]),
  post('a form', () => 'title=t&html=h', wrong('Content-Type'), [
    'content-type: application/x-www-form-urlencoded',
  ]),
  post('multipart', () => '--x\r\n\r\n', wrong('Content-Type'), [
    'content-type: multipart/form-data; boundary=x',
  ]),
  post(
    '20 MB of html',
    () => `{"title":"t","html":"${'x'.repeat(20 * mib)}"}`,
    bad('html', 'html_too_large'),
  ),
  post(
    'html of one byte too many',
    () => `{"title":"t","html":"${'x'.repeat(2 * mib + 1)}"}`,
    bad('html', 'html_too_large'),
  ),
  {
    name: 'a PATCH with html',
    method: 'PATCH',
    path: '/api/drops/{slug}',
    body: () => '{"html":"h"}',
    answer: refused(400, 'metadata_only_on_patch'),
  },
  {
    name: 'a passcode as an object',
    method: 'POST',
    path: '/api/drops/{slug}/passcode',
    body: () => '{"passcode":{"$ne":""}}',
    answer: bad('passcode', 'passcode_required'),
  },
  {
    name: 'a passcode in 300 KB of JSON',
    method: 'POST',
    path: '/api/drops/{slug}/passcode',
    body: () => `{"x":"${'x'.repeat(300_000)}"}`,
    answer: refused(413, 'invalid_arg', { field: 'body' }),
  },
  {
    name: 'a label that is an array',
    method: 'POST',
    path: '/api/auth/start',
    isAnonymous: true,
    body: () => '{"label":["a"]}',
    answer: bad('label'),
  },
  {
    name: 'a sign-in start of 9 KB',
    method: 'POST',
    path: '/api/auth/start',
    isAnonymous: true,
    body: () => `{"x":"${'x'.repeat(9_000)}"}`,
    answer: refused(413, 'invalid_arg', { field: 'body' }),
  },
];
