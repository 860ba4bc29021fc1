import { gzipSync } from 'node:zlib';
import { bad, type HostileCase, refused } from './case.ts';

const mib = 1024 * 1024;
const broken = refused(400, 'invalid_json');

const wrongEncoding = refused(415, 'invalid_json', { header: 'Content-Encoding' });
const untitled = bad('title', 'title_required');
const tooLarge = refused(413, 'invalid_arg', { field: 'body' });

/** A POST of a drop with these bytes. */
function post(
  name: string,
  body: () => string | Uint8Array,
  answer: HostileCase['answer'],
  headers: string[] = [],
): HostileCase {
  return { name, method: 'POST', path: '/api/drops', body, answer, headers };
}

/** The start of a sign-in with these bytes. */
function start(name: string, body: () => string, answer: HostileCase['answer']): HostileCase {
  return { name, method: 'POST', path: '/api/auth/start', isAnonymous: true, body, answer };
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
  post('the byte 0xFF, which UTF-8 never has', bytes('{"title":"', [0xff], '","html":"h"}'), broken),
  post('a slash in overlong UTF-8', bytes('{"title":"', [0xc0, 0xaf], '","html":"h"}'), broken),
  post('a surrogate in UTF-8', bytes('{"title":"', [0xed, 0xa0, 0x80], '","html":"h"}'), broken),
  post('a code point above U+10FFFF', bytes('{"title":"', [0xf4, 0x90, 0x80, 0x80], '","html":"h"}'), broken),
  post('NUL in a title', () => '{"title":"a\\u0000","html":"h"}', bad('title')),
  post('__proto__ with the fields', () => '{"__proto__":{"title":"t"},"html":"h"}', untitled),
  post('constructor.prototype', () => '{"constructor":{"prototype":{"title":"t"}},"html":"h"}', untitled),
  post('title as an object with toString', () => '{"title":{"toString":"t"},"html":"h"}', bad('title')),
  post('a passcode of 1 MB', withMembers(`"passcode":"${'x'.repeat(mib)}"`), bad('passcode')),
  post('a gzip bomb', () => gzipSync(Buffer.alloc(50 * mib)), wrongEncoding, ['content-encoding: gzip']),
  post('two encodings', () => gzipSync('{}'), wrongEncoding, ['content-encoding: identity, gzip']),
  post(
    '20 MB of html',
    () => `{"title":"t","html":"${'x'.repeat(20 * mib)}"}`,
    bad('html', 'html_too_large'),
  ),
  {
    ...post('a passcode in 300 KB of JSON', () => `{"x":"${'x'.repeat(300_000)}"}`, tooLarge),
    path: '/api/drops/{slug}/passcode',
  },
  start('a label that is an array', () => '{"label":["a"]}', bad('label')),
  start('a sign-in start of 9 KB', () => `{"x":"${'x'.repeat(9_000)}"}`, tooLarge),
];
