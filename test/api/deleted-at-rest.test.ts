import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useServiceOfEach } from '../support/service.ts';
import { readAtRest } from '../support/stored.ts';

describe('Deleted content at rest', () => {
  const service = useServiceOfEach();

  /** The files or collections that contain each needle, after SQLite has moved its log into the database file. */
  async function placesOf(needles: Readonly<Record<string, Buffer>>): Promise<Record<string, string[]>> {
    await service.settle();
    await service.restart();
    const places = [...(await readAtRest(service.config))];
    const found = Object.entries(needles).map(([what, needle]): [string, string[]] => [
      what,
      places.filter(([, bytes]) => bytes.includes(needle)).map(([name]) => name),
    ]);
    return Object.fromEntries(found);
  }

  /** A random document, so that its compressed forms are unique too. It fills several pages of the database. */
  function makeDocument() {
    const needle = randomBytes(24).toString('hex');
    const filling = Array.from({ length: 2_000 }, () => randomBytes(12).toString('hex')).join('\n');
    return { html: `<p>${needle}</p><pre>${filling}</pre>`, needle: Buffer.from(needle) };
  }

  /** 32 bytes from the middle of each compressed form of the page. */
  async function formsOf(path: string): Promise<Record<string, Buffer>> {
    const pieces: Record<string, Buffer> = {};
    for (const form of ['br', 'gzip']) {
      const { status, headers, bytes } = await service.get(path, { headers: { 'accept-encoding': form } });
      expect(`${status} ${headers['content-encoding']}`).to.equal(`200 ${form}`);
      pieces[form] = bytes.subarray(20_000, 20_032);
    }
    return pieces;
  }

  for (const [what, remove] of [
    ['a drop', (slug: string) => `/api/drops/${slug}`],
    ['a version', (slug: string) => `/api/drops/${slug}/v/1`],
  ] as const) {
    it(`${what}: its document, context and compressed pages are in no file or collection`, async () => {
      const owner = await service.newOwner();
      const { html, needle } = makeDocument();
      const context = `Because ${randomBytes(24).toString('hex')}`;
      const { slug } = await owner.create({ html, context });
      if (what === 'a version') expect((await owner.put(slug)).status).to.equal(200);
      await service.settle();
      const raw = await formsOf(`/p/${slug}/raw?v=1`);
      const needles = { document: needle, context: Buffer.from(context.slice(8)), ...raw };
      for (const [name, places] of Object.entries(await placesOf(needles)))
        expect(places, `${name} before`).to.not.deep.equal([]);

      expect((await owner.request('DELETE', remove(slug))).status).to.be.oneOf([200, 204]);
      expect(await placesOf(needles)).to.deep.equal({ document: [], context: [], br: [], gzip: [] });
    });
  }
});
