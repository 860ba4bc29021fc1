import { expect } from 'chai';
import { expectError, insertionIn } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const maxHtml = 2_097_152;
const maxContext = 65_536;

describe('Limits', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function withDrop() {
    const { owner, slug } = await service.newDrop();
    return { owner, slug, patch: (body: object) => owner.request('PATCH', `/api/drops/${slug}`, { body }) };
  }

  describe('lengths in characters are Unicode code points', () => {
    for (const [field, limit, code] of [
      ['title', 200, 'title_too_long'],
      ['description', 500, 'description_too_long'],
    ] as const) {
      for (const letter of ['x', 'é', '漢', '😀']) {
        it(`${field}: ${limit} times ${letter} is legal, one more is 400 ${code}; on POST, PUT and PATCH`, async () => {
          const { owner, slug, patch } = await withDrop();
          const exact = letter.repeat(limit);
          const over = letter.repeat(limit + 1);
          const calls = [
            (value: string) => owner.post({ [field]: value }),
            (value: string) => owner.put(slug, { [field]: value }),
            (value: string) => patch({ [field]: value }),
          ];
          for (const call of calls) {
            const answer = await call(exact);
            expect(answer.status, answer.text).to.be.oneOf([200, 201]);
            expect(answer.body[field]).to.equal(exact);
            const details = expectError(await call(over), 400, code);
            expect(Object.values(details)).to.include(limit);
          }
        });
      }
    }

    it('a letter with a combining mark is two characters', async () => {
      const { owner } = await withDrop();
      expect((await owner.post({ title: 'e\u0301'.repeat(100) })).status).to.equal(201);
      expectError(await owner.post({ title: `${'e\u0301'.repeat(100)}x` }), 400, 'title_too_long');
    });
  });

  describe('sizes are UTF-8 bytes', () => {
    for (const [name, letter] of [
      ['one byte', 'x'],
      ['two bytes', 'é'],
      ['three bytes', '漢'],
      ['four bytes', '😀'],
    ] as const) {
      const size = Buffer.byteLength(letter);
      const fill = (bytes: number) =>
        letter.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes - size * Math.floor(bytes / size));

      for (const [field, max] of [
        ['html', maxHtml],
        ['context', maxContext],
      ] as const) {
        it(`${field} of ${max} bytes is legal, one more is 400 ${field}_too_large (${name})`, async () => {
          const { owner, slug } = await withDrop();
          const write = (value: string) =>
            Promise.all([owner.post({ [field]: value }), owner.put(slug, { [field]: value })]);
          const value = fill(max);
          expect((await write(value)).map(({ status }) => status)).to.deep.equal([201, 200]);
          const { body } = await owner.get(`/api/drops/${slug}/v/2`);
          if (field === 'html') expect(body.size_bytes).to.equal(max);
          else expect(body.context).to.equal(value);
          for (const answer of await write(`${value}x`))
            expect(expectError(answer, 400, `${field}_too_large`).max_bytes).to.equal(max);
        });
      }
    }

    it('the largest legal request: every byte of html and context escaped, and every field full', async () => {
      const { owner } = await withDrop();
      const escaped = (letter: string, count: number) =>
        `"${`\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`.repeat(count)}"`;
      const astral = (count: number) => `"${'\\ud83d\\ude00'.repeat(count)}"`;
      const keys = Array.from({ length: 10 }, (_, index) => `"${String(index).repeat(64)}":${astral(256)}`);
      const raw =
        `{"html":${escaped('\u0001', maxHtml)},"context":${escaped('\u0001', maxContext)},"title":${astral(200)},` +
        `"description":${astral(500)},"passcode":${astral(256)},"metadata":{${keys.join()}}}`;
      const answer = await owner.request('POST', '/api/drops', { raw });
      expect(answer.status, answer.text.slice(0, 300)).to.equal(201);
      expect((await owner.get(`/api/drops/${answer.body.slug}/v/1`)).body.size_bytes).to.equal(maxHtml);
    });
  });

  describe('U+0000', () => {
    it('is legal in html and context, and comes back', async () => {
      const { owner } = await withDrop();
      const html = '<!doctype html><head></head><p>a\u0000b\u0000';
      const { slug } = await owner.create({ html, context: 'c\u0000d' });
      const version = await owner.get(`/api/drops/${slug}/v/1`);
      expect(version.body).to.include({ context: 'c\u0000d', size_bytes: Buffer.byteLength(html) });
      insertionIn(html, (await service.get(`/p/${slug}/raw`)).bytes);
    });
  });
});
