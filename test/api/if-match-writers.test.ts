import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useService } from '../support/service.ts';
import type { WireBody } from '../support/wire.ts';

const writers = Array.from({ length: 50 }, (_, index) => `w${index}`);

describe('50 writers with If-Match on one drop', () => {
  const service = useService(noLimits);
  let refused = 0;

  /** Reads the drop, changes what was read, and sends that; again from the start after each 412. */
  async function write(owner: Owner, slug: string, change: (drop: WireBody) => Promise<[string, object]>) {
    const path = `/api/drops/${slug}`;
    for (;;) {
      const { body, headers } = await owner.get(path);
      const [method, fields] = await change(body);
      const ifMatch = { 'if-match': headers.etag ?? '' };
      const answer = await owner.request(method, path, { body: fields, headers: ifMatch });
      if (answer.status === 200) return;
      expectError(answer, 412, 'version_conflict');
      refused += 1;
    }
  }

  it('each reads, changes and retries: every change is in the history exactly once', async () => {
    const { owner, slug } = await service.newDrop({ description: 'start', context: 'start' });
    const contextOf = async (n: number): Promise<string | null> =>
      (await owner.get(`/api/drops/${slug}/v/${n}`)).body.context;

    const publishers = writers.slice(0, 25);
    const describers = writers.slice(25);
    const publish = (name: string) =>
      write(owner, slug, async ({ latest_version }) => {
        return ['PUT', { html: `<p>${name}`, context: `${await contextOf(latest_version)}, ${name}` }];
      });
    const redescribe = (name: string) =>
      write(owner, slug, async ({ description }) => ['PATCH', { description: `${description}, ${name}` }]);
    await Promise.all([...publishers.map(publish), ...describers.map(redescribe)]);

    expect(refused, 'writers met').to.be.above(0);
    const { body, headers } = await owner.get(`/api/drops/${slug}`);
    expect(headers.etag).to.equal(`"${1 + writers.length}"`);
    expect(body.latest_version).to.equal(1 + publishers.length);
    expect(body.description?.split(', ').sort()).to.deep.equal(['start', ...describers].sort());
    const history = await Promise.all(
      Array.from({ length: body.latest_version }, (_, n) => contextOf(n + 1)),
    );
    const order = history.at(-1)?.split(', ') ?? [];
    expect([...order].sort()).to.deep.equal(['start', ...publishers].sort());
    expect(history).to.deep.equal(order.map((_, n) => order.slice(0, n + 1).join(', ')));
  }).timeout(240_000); // with MongoDB on a busy machine it takes 25 s, and once took more than 60
});
