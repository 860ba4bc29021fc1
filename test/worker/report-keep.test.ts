import { expect } from 'chai';
import { aReport } from '../contract/records.ts';
import { openScene, type Scene } from './scene.ts';

const day = 86_400_000;

describe('Reports that were closed', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = openScene();
  });

  afterEach(() => scene.close());

  it('are removed by the sweep when REPORTS_KEEP_DAYS are over; open ones stay', async () => {
    const { clock } = scene;
    const { reports } = scene.stores;
    const { handlers } = scene.startProcess();
    const closed = aReport({ createdAt: clock.now() });
    const open = aReport({ createdAt: clock.now() });
    for (const report of [closed, open]) await reports.insert(report, 20);
    clock.advance(day);
    await reports.close(closed.id, clock.now());
    clock.advance(90 * day);
    await handlers['store.reconcile']({});
    const listAll = () => reports.list({ withClosed: true, slug: null, before: null, limit: 10 });
    expect(await listAll()).to.have.length(2);
    clock.advance(1);
    await handlers['store.reconcile']({});
    expect((await listAll()).map(({ id }) => id)).to.deep.equal([open.id]);
  });
});
