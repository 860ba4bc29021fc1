import { type Right, refused } from './case.ts';

/** The bytes that are sent on a connection, and all answers on it. */
export interface RawCase {
  readonly name: string;
  readonly text: string;
  readonly answers: readonly Right[];
  /** Whether the service ends the connection after the last answer. */
  readonly isEnded: boolean;
}

const auth = 'authorization: Bearer {token}\r\n';
const json = `${auth}content-type: application/json\r\n`;
const head = (line: string, more = '') => `${line} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
const healthz = head('GET /healthz');
const me = head('GET /api/me', auth);
const post = (more: string) => head('POST /api/drops', `${json}${more}`);

const chunked = 'transfer-encoding: chunked\r\n';
const noConnect = refused(400, 'invalid_arg', { text: 'CONNECT is not supported' });
const badHttp = refused(400, 'invalid_arg', { text: 'Malformed HTTP request' });
const well = { status: 200, text: '"status":"ok"' };
const mine = { status: 200, text: '"user_id"' };

function broken(name: string, text: string, ...answers: readonly Right[]): RawCase {
  return { name, text, answers: answers.length === 0 ? [badHttp] : answers, isEnded: true };
}

/** The connection can be used again. */
function handled(name: string, text: string, ...answers: readonly Right[]): RawCase {
  return { name, text, answers, isEnded: false };
}

export const rawBytes: readonly RawCase[] = [
  broken('no HTTP', 'hello\r\n\r\n'),
  broken('TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  broken('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  broken(
    'HTTP/2.0 in a request line of HTTP/1',
    'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n',
    refused(400, 'invalid_arg'),
  ),
  broken('HTTP/1.2', 'GET /healthz HTTP/1.2\r\nhost: x\r\n\r\n'),
  broken('SSH', 'SSH-2.0-OpenSSH_9.2p1\r\n'),
  broken('a method in lower case', 'get /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  broken('an unknown method', 'HACK /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  broken('bytes beyond ASCII in the path', 'GET /p/\xc3\xa9 HTTP/1.1\r\nhost: x\r\n\r\n'),
  broken('a no-break space after the path', 'GET /healthz\xa0 HTTP/1.1\r\nhost: x\r\n\r\n'),
  broken('a tab in the path', 'GET /healthz\t HTTP/1.1\r\nhost: x\r\n\r\n'),
  broken('lines that end in LF without CR', 'GET /healthz HTTP/1.1\nhost: x\n\n'),
  broken('a folded header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n'),
  broken('a space before the colon', 'GET /healthz HTTP/1.1\r\nhost : x\r\n\r\n'),
  broken('a header without a name', 'GET /healthz HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'),
  broken('NUL in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\0c\r\n\r\n'),
  broken('a carriage return in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\rc\r\n\r\n'),
  broken('CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n', noConnect),
  broken('two Content-Length headers', post('content-length: 2\r\ncontent-length: 3\r\n')),
  broken('Content-Length and Transfer-Encoding', post('content-length: 2\r\ntransfer-encoding: chunked\r\n')),
  broken('a negative Content-Length', post('content-length: -1\r\n')),
  broken('a Content-Length with a plus sign', post('content-length: +2\r\n')),
  broken('a Content-Length of 30 digits', post(`content-length: ${'9'.repeat(30)}\r\n`)),
  broken('a Content-Length in hex', post('content-length: 0x2\r\n')),
  broken('a Content-Length with two values', post('content-length: 2, 2\r\n')),
  broken('a Transfer-Encoding without chunked', post('transfer-encoding: gzip\r\n')),
  broken('a Transfer-Encoding that does not end with chunked', post('transfer-encoding: chunked, gzip\r\n')),
  broken('a chunk whose size is not a number', `${post(chunked)}zz\r\n{}\r\n0\r\n\r\n`),
  broken('a chunk of a negative size', `${post(chunked)}-1\r\n{}\r\n0\r\n\r\n`),
  broken('a chunk size of 17 hex digits', `${post(chunked)}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`),
  broken('a chunk longer than it says', `${post(chunked)}1\r\n{}\r\n0\r\n\r\n`),
  broken(
    'a chunk with 20 KB of extension',
    `${post(chunked)}2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    refused(413, 'invalid_arg'),
  ),
  handled(
    'a body in chunks of one byte',
    `${post(chunked)}${'1\r\n \r\n'.repeat(300_000)}0\r\n\r\n`,
    refused(400, 'invalid_json'),
  ),
  handled(
    'gzip in chunks',
    `${post('transfer-encoding: gzip, chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
    refused(415, 'invalid_json', { header: 'Transfer-Encoding' }),
  ),
  handled(
    'a trailer with a token',
    `${head('POST /api/drops', `content-type: application/json\r\n${chunked}`)}2\r\n{}\r\n0\r\n${auth}\r\n`,
    refused(401, 'unauthorized'),
  ),
  broken('garbage after a request: the answer comes first', `${me}garbage\r\n\r\n`, mine, badHttp),
  broken(
    'garbage after three requests: their answers come first, in their order',
    `${healthz}${me}${healthz}\0\0\0\0`,
    well,
    mine,
    well,
    badHttp,
  ),
  broken(
    'a broken body after a request: the answer comes first',
    `${me}${post(chunked)}zz\r\n`,
    mine,
    badHttp,
  ),
  broken(
    'CONNECT after a request: the answer comes first',
    `${me}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`,
    mine,
    noConnect,
  ),
  broken(
    'headers too large after a request: the answer comes first',
    `${me}${head('GET /healthz', `x: ${'y'.repeat(17_000)}\r\n`)}`,
    mine,
    refused(431, 'invalid_arg'),
  ),
  handled(
    'a request inside the body of another is not handled',
    `${post(`content-length: ${healthz.length}\r\n`)}${healthz}`,
    refused(400, 'invalid_json'),
  ),
  handled(
    'a request after the body of a GET is handled',
    `${head('GET /healthz', 'content-length: 5\r\n')}hello${me}`,
    well,
    mine,
  ),
  broken('HTTP/1.0 without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', well),
  handled(
    'HTTP/1.1 without a Host',
    'GET /healthz HTTP/1.1\r\n\r\n',
    refused(400, 'invalid_arg', { header: 'Host' }),
  ),
  handled(
    '65 requests at once: each is answered',
    healthz.repeat(65),
    ...Array.from({ length: 65 }, () => well),
  ),
];
