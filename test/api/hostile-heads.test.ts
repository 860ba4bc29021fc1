import { expect } from 'chai';
import { contentSettings } from '../support/content-hosts.ts';
import { cpuMsSince } from '../support/cpu.ts';
import { useService } from '../support/service.ts';
import { exchange, requestHead } from '../support/socket.ts';

/** Node reads a head of 16 KB at most. */
const longest = 15_000;
/** An ordinary request takes 1 to 3; what is quadratic in such a head takes 60 to 200. */
const mostMs = 30;

/** Repeated, each of them makes some expression or loop begin again and again. */
const pieces = [
  '.',
  ' ',
  '\t',
  ',',
  ';',
  '"',
  '\\',
  '/',
  ':',
  '=',
  'a',
  'a=',
  'a,',
  '%20',
  '"a",',
  'W/"',
  ';q=',
  'a=b; ',
];

const headers = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];

describe('The head of a request, as long as Node reads it', () => {
  const service = useService(contentSettings);

  /** The texts that take more than their share of the CPU, each time of three. */
  async function slowOf(texts: Iterable<readonly [name: string, text: string]>): Promise<string[]> {
    const slow: string[] = [];
    for (const [name, text] of texts) {
      let least = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 3 && least > mostMs; tries++) {
        const before = process.cpuUsage();
        await exchange(service.url, text);
        least = Math.min(least, cpuMsSince(before));
      }
      if (least > mostMs) slow.push(`${name}: ${least} ms`);
    }
    return slow;
  }

  const repeated = (piece: string) => `${piece.repeat(longest / piece.length)}a`;

  for (const [method, path] of [
    ['GET', '/p/nosuchslug00/raw'],
    ['PUT', '/api/drops/nosuchslug00'],
    ['POST', '/drops/new'],
  ] as const) {
    it(`no header takes more than its share of the CPU: ${method} ${path}`, async () => {
      const requests = headers.flatMap((name) =>
        pieces.map((piece) => {
          const sent = { connection: 'close', 'content-length': '0', [name]: `a${repeated(piece)}` };
          return [`${name}: ${piece}`, requestHead(method, path, sent)] as const;
        }),
      );
      expect(await slowOf(requests)).to.deep.equal([]);
    });
  }

  it('no address and no query takes more than its share of the CPU', async () => {
    const starts = [
      '/',
      '/p/',
      '/p/a?',
      '/p/a/raw?v=',
      '/api/drops/',
      '/api/drops?q=',
      '/api/drops?metadata.',
      '/api/auth/poll?token=',
      '/docs?q=',
      '/drops?q=',
      '/sign-in?return_to=/',
      'http://drops.example',
    ];
    const requests = starts.flatMap((start) =>
      pieces
        .filter((piece) => !/\s/.test(piece))
        .map((piece) => {
          const text = requestHead('GET', start + repeated(piece), { connection: 'close' });
          return [`${start} ${piece}`, text] as const;
        }),
    );
    expect(await slowOf(requests)).to.deep.equal([]);
  });
});
