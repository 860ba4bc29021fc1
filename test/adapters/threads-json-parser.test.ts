import { expect } from 'chai';
import { createThreadJsonParser } from '../../shared/threads/threads.ts';
import { watchEventLoop } from '../support/cpu.ts';

describe('createThreadJsonParser', () => {
  const parser = createThreadJsonParser();
  const parse = (text: string | Uint8Array) => parser.parse(Buffer.from(text));
  after(() => parser.close());

  const failureOf = (text: string | Uint8Array): Promise<unknown> =>
    parse(text).then(
      (parsed) => ({ parsed }),
      (error) => error,
    );

  it('parses what JSON.parse does, also brackets and commas in strings, and large bodies', async () => {
    for (const text of [
      ...['{}', '[1,2.5,-3e9]', '"a\\u0000\\ud800😀"', 'null', ' true ', '{"a":{"b":[{"c":"\\"]}"}]}}'],
      JSON.stringify({ title: 'é', html: '<p>"\\é😀'.repeat(300_000) }),
      JSON.stringify(`[{,\\"${'[,'.repeat(20_000)}`),
    ]) {
      expect(await parse(text)).to.deep.equal(JSON.parse(text));
    }
  });

  it('ignores a byte order mark', async () => {
    expect(await parse('\ufeff{"a":1}')).to.deep.equal({ a: 1 });
  });

  it('keeps keys that objects inherit as own keys', async () => {
    const { metadata } = (await parse('{"metadata":{"__proto__":"a","constructor":"b"}}')) as {
      metadata: object;
    }; // proof: the literal
    expect(Object.entries(metadata)).to.deep.equal([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('rejects everything else with a SyntaxError, and parses on', async () => {
    for (const text of [
      ...['', '{"a":', '{"a":"b', '"\\', '{}{}'],
      Buffer.from('"\xff"', 'latin1'), // not UTF-8
      Buffer.from('"\xc3"', 'latin1'), // half of a character
      `${'['.repeat(17)}${']'.repeat(17)}`,
      `[${'1,'.repeat(1_001)}1]`,
    ]) {
      expect(await failureOf(text), String(text).slice(0, 40)).to.be.instanceOf(SyntaxError);
    }
    expect(await parse('1')).to.equal(1);
  });

  it('refuses 12 MB of brackets without blocking the event loop', async () => {
    const body = Buffer.alloc(12 * 1024 * 1024, '[');
    const longestTurn = watchEventLoop();
    expect(await failureOf(body)).to.be.instanceOf(SyntaxError);
    expect(longestTurn()).to.be.below(300);
  });

  it('does not take bytes that share their buffer with others', async () => {
    const shared = Buffer.from('[1][2]');
    expect(await parser.parse(shared.subarray(3))).to.deep.equal([2]);
    expect(shared.toString()).to.equal('[1][2]');
  });
});
