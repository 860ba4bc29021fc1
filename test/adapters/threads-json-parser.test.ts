import { expect } from 'chai';
import { createThreadJsonParser } from '../../shared/adapters/threads/json-parser.ts';

describe('createThreadJsonParser', () => {
  const parser = createThreadJsonParser();
  const parse = (text: string | Uint8Array) => parser.parse(Buffer.from(text));
  after(() => parser.close());

  async function failureOf(text: string | Uint8Array): Promise<unknown> {
    try {
      return { parsed: await parse(text) };
    } catch (error) {
      return error;
    }
  }

  for (const text of [
    '{}',
    '[1,2.5,-3e9]',
    '"a\\u0000\\ud800😀"',
    'null',
    ' true ',
    '{"a":{"b":[{"c":"\\"]}"}]}}',
  ]) {
    it(`parses ${text}`, async () => {
      expect(await parse(text)).to.deep.equal(JSON.parse(text));
    });
  }

  it('parses a large body', async () => {
    const body = { title: 'é', html: '<p>"\\é😀'.repeat(300_000) };
    expect(await parse(JSON.stringify(body))).to.deep.equal(body);
  });

  it('tolerates a byte order mark', async () => {
    expect(await parse('\ufeff{"a":1}')).to.deep.equal({ a: 1 });
  });

  it('keeps keys that objects inherit as keys of their own', async () => {
    const value = await parse('{"metadata":{"__proto__":"a","constructor":"b"}}');
    const { metadata } = value as { metadata: object }; // proof: the literal above
    expect(Object.entries(metadata)).to.deep.equal([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  for (const [what, text] of [
    ['an empty text', ''],
    ['a cut text', '{"a":'],
    ['an open string', '{"a":"b'],
    ['a text that ends in a backslash', '"\\'],
    ['more than one value', '{}{}'],
    ['what is not UTF-8', Buffer.from('"\xff"', 'latin1')],
    ['a lone half of a UTF-8 character', Buffer.from('"\xc3"', 'latin1')],
    ['nesting that no body has', `${'['.repeat(17)}${']'.repeat(17)}`],
    ['more members than any body has', `[${'1,'.repeat(1_001)}1]`],
  ] as const) {
    it(`rejects ${what} with a SyntaxError`, async () => {
      expect(await failureOf(text)).to.be.instanceOf(SyntaxError);
    });
  }

  it('refuses 12 MB of brackets without the event loop noticing', async () => {
    const body = Buffer.alloc(12 * 1024 * 1024, '[');
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    expect(await failureOf(body)).to.be.instanceOf(SyntaxError);
    clearInterval(timer);
    expect(longest).to.be.below(500);
  });

  it('does not take brackets and commas inside strings for structure', async () => {
    const text = JSON.stringify(`[{,\\"${'[,'.repeat(20_000)}`);
    expect(await parse(text)).to.equal(JSON.parse(text));
  });

  it('parses on after a failure', async () => {
    await failureOf('{');
    expect(await parse('1')).to.equal(1);
  });

  it('leaves bytes alone that share their buffer', async () => {
    const shared = Buffer.from('[1][2]');
    expect(await parser.parse(shared.subarray(3))).to.deep.equal([2]);
    expect(shared.toString()).to.equal('[1][2]');
  });
});
