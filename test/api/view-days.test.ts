import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const dayMs = 86_400_000;

interface Views {
  readonly view_count: number;
  readonly days: readonly { readonly date: string; readonly views: number }[];
}

describe('GET /api/drops/{slug}/views', () => {
  const service = useService();

  async function scene() {
    const { owner, slug } = await service.newDrop();
    return {
      owner,
      slug,
      async view(times: number) {
        for (let n = 0; n < times; n++) await service.view(`/p/${slug}`);
      },
      read: (query = '') => owner.get<Views>(`/api/drops/${slug}/views${query}`),
    };
  }

  it('200: all views, and those of each UTC day, oldest first, days without a view too', async () => {
    const { owner, slug, view, read } = await scene();
    await view(3);
    service.clock.advance(2 * dayMs);
    await view(2);
    await service.settle();
    const { status, body } = await read();
    expect(status).to.equal(200);
    expect(body.view_count).to.equal(5);
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(5);
    expect(body.days).to.have.length(30);
    expect(body.days.slice(-4).map(({ views }) => views)).to.deep.equal([0, 3, 0, 2]);
    const now = service.clock.now();
    const dates = Array.from({ length: 30 }, (_, i) =>
      new Date(now - (29 - i) * dayMs).toISOString().slice(0, 10),
    );
    expect(body.days.map(({ date }) => date)).to.deep.equal(dates);
  });

  it('days chooses how many; older views are in view_count alone', async () => {
    const { view, read } = await scene();
    await view(1);
    service.clock.advance(dayMs);
    await view(2);
    await service.settle();
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    expect((await read('?days=1')).body).to.deep.equal({ view_count: 3, days: [{ date: today, views: 2 }] });
    expect((await read('?days=2')).body.days.map(({ views }) => views)).to.deep.equal([1, 2]);
    const year = (await read('?days=365')).body.days;
    expect(year).to.have.length(365);
    expect(new Set(year.map(({ date }) => date)).size).to.equal(365);
  });

  for (const query of [
    '?days=0',
    '?days=366',
    '?days=-1',
    '?days=1.5',
    '?days=x',
    '?days=',
    '?days=1&days=2',
  ]) {
    it(`${query}: 400 invalid_arg names the limit`, async () => {
      const { read } = await scene();
      expect(expectError(await read(query), 400, 'invalid_arg')).to.include({ field: 'days', maximum: 365 });
    });
  }

  it('its owner reads those of a drop that was taken down; 404 not_found after its deletion', async () => {
    const { owner, slug, read } = await scene();
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'spam' });
    expect((await read()).status).to.equal(200);
    await owner.request('DELETE', `/api/drops/${slug}`);
    expectError(await read(), 404, 'not_found');
  });
});
