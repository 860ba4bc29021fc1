import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { countJobs } from '../support/jobs.ts';
import { rejectionOf } from '../support/rejection.ts';
import { settleAll } from './fault-matrix.ts';
import { useScene } from './use-scene.ts';

const minute = 60_000;

describe('The job drop.expire', () => {
  const current = useScene();

  async function publishExpiring(count: number) {
    const { scene } = current();
    const expiresAt = scene.clock.now() + minute;
    const drops = await Promise.all(
      Array.from({ length: count }, () => scene.publish([], undefined, expiresAt)),
    );
    scene.clock.advance(minute);
    return drops;
  }

  it('removes every expired drop, more than one batch of them', async () => {
    const { scene, process } = current();
    const drops = await publishExpiring(250);
    const kept = await scene.publish([]);
    await process.handlers['drop.expire']({});
    for (const { id } of drops)
      expect(await scene.stores.pendingTasks.find(id)).to.deep.include({ deleted: true });
    expect((await countJobs(process.queue)).waiting).to.equal(250);
    expect(await scene.stores.pendingTasks.find(kept.id)).to.deep.include({ deleted: false });
  });

  it('store.reconcile removes the data of drops whose drop.remove could not be enqueued', async () => {
    const { scene } = current();
    const [drop] = await publishExpiring(1);
    const jobs = {
      enqueue: () => Promise.reject(unavailable('The job queue did not answer in time.')),
      listFailed: async () => [],
    };
    const { handlers, close } = scene.startProcess({ jobs });
    expect(await rejectionOf(handlers['drop.expire']({}))).to.include({ code: 'unavailable' });
    await close();
    scene.clock.advance(10 * minute); // store.reconcile is due
    expect(await settleAll(scene, current().process)).to.deep.equal([]);
    expect(await scene.stores.pendingTasks.find(drop?.id ?? '')).to.equal(null);
    expect(await scene.listKept([drop?.versionId ?? ''])).to.deep.equal([]);
  });
});
