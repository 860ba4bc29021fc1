import { expect } from 'chai';
import { at, later } from '../contract/records.ts';
import { ownerId } from './stage.ts';
import { useScene } from './use-scene.ts';

describe('Job drop.card', () => {
  const current = useScene();

  async function published() {
    const drop = await current().scene.publish(['render']);
    const process = current().scene.startProcess();
    const run = async () => {
      await process.queue.enqueue('drop.card', { dropId: drop.id });
      expect(await process.settle()).to.deep.equal([]);
    };
    const { cards, drops } = current().scene.stores;
    const card = async () => {
      const found = await cards.find(drop.id);
      return found && Buffer.from(found.png).toString();
    };
    return { ...drop, process, run, card, cards, drops };
  }

  it('is enqueued by the render of a version, if the card is missing', async () => {
    const { id, versionId, process, card } = await published();
    await process.queue.enqueue('version.render', { dropId: id, versionId });
    expect(await process.settle()).to.deep.equal([]);
    expect(await card()).to.equal('page: A page, ');
  });

  it('draws a card once, and again when title or description have changed', async () => {
    const { slug, run, card, cards, drops, id } = await published();
    await run();
    await cards.put(id, { digest: (await cards.find(id))?.digest ?? '', png: Buffer.from('kept') });
    await run();
    expect(await card()).to.equal('kept');
    for (const [changes, drawn] of [
      [{ title: 'Other' }, 'page: Other, '],
      [{ description: 'New' }, 'page: Other, New'],
    ] as const) {
      await cards.put(id, { digest: 'of before', png: Buffer.from('before') });
      await drops.changeDetails(at(slug, ownerId), changes, later, []);
      await run();
      expect(await card()).to.equal(drawn);
    }
  });

  it('deletes the card of a locked drop, and draws it when the drop is unlocked', async () => {
    const { slug, run, card, drops } = await published();
    await run();
    await drops.setLock(at(slug, ownerId), { id: 'l', hash: 'h' }, later, []);
    await run();
    expect(await card()).to.equal(null);
    await drops.setLock(at(slug, ownerId), null, later, []);
    await run();
    expect(await card()).to.equal('page: A page, ');
  });

  it('does nothing for a deleted drop; drop.remove deletes the card', async () => {
    const { id, slug, run, card, drops, process, cards } = await published();
    await run();
    await drops.remove(at(slug, ownerId), later);
    await process.queue.enqueue('drop.remove', { dropId: id });
    await process.settle();
    expect(await card()).to.equal(null);
    await run();
    expect(await cards.listIds('', 'z', 10)).to.deep.equal([]);
  });

  it('store.reconcile deletes a card that was stored after its drop was removed', async () => {
    const { id, cards, process } = await published();
    const { scene } = current();
    const orphan = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const dropId of [id, orphan]) await cards.put(dropId, { digest: 'x', png: Buffer.from('x') });
    scene.clock.advance(3_600_001);
    await process.handlers['store.reconcile']({});
    expect(await cards.listIds('', 'z', 10)).to.deep.equal([id]);
  });
});
