import { expect } from 'chai';
import { createSuspension } from '../../shared/services/suspension.ts';

/** An account and its tokens, and the writes of these that wait. */
function openScene() {
  const state: { suspendedAt: number | null; tokens: boolean | null } = { suspendedAt: null, tokens: null };
  const writes: boolean[] = [];
  let held: (() => void)[] | null = null;
  const identity = { provider: 'local', subject: 'ada', name: 'ada' };
  const suspension = createSuspension({
    accounts: {
      find: async (id) =>
        id === 'ada' ? { id, identity, createdAt: 1, suspendedAt: state.suspendedAt } : null,
    },
    tokens: {
      async setSuspended(_, isSuspended) {
        await new Promise<void>((resolve) => {
          if (held === null) resolve();
          else held.push(resolve);
        });
        writes.push(isSuspended);
        state.tokens = isSuspended;
      },
    },
  });
  return {
    state,
    writes,
    settle: (said: boolean | null = null) => suspension.settle('ada', said),
    settleNobody: () => suspension.settle('nobody', false),
    hold() {
      held = [];
    },
    /** Those that waited are done when it resolves; what comes now waits no more. */
    async release() {
      const waiting = held ?? [];
      held = null;
      for (const go of waiting) go();
      await aTurn();
    },
  };
}

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('The tokens of an account', () => {
  it('say what its record says', async () => {
    const { state, settle } = openScene();
    for (const suspendedAt of [1, null]) {
      state.suspendedAt = suspendedAt;
      await settle();
      expect(state.tokens).to.equal(suspendedAt !== null);
    }
  });

  it('are not written where they say it already, nor where there is no account', async () => {
    const { state, writes, settle, settleNobody } = openScene();
    state.suspendedAt = 1;
    await settle(true);
    await settleNobody();
    expect(writes).to.deep.equal([]);
  });

  it('end as the record, where two acts write them at once', async () => {
    for (const [older, newer] of [
      [null, 1],
      [1, null],
    ] as const) {
      const scene = openScene();
      scene.state.suspendedAt = older;
      scene.hold();
      const first = scene.settle();
      await aTurn();
      scene.state.suspendedAt = newer;
      const second = scene.settle();
      await aTurn();
      await scene.release();
      await Promise.all([first, second]);
      expect(scene.state.tokens).to.equal(newer !== null);
    }
  });

  it('end as the record, where the newer act has written while the older one hung', async () => {
    const scene = openScene();
    scene.hold();
    const unsuspend = scene.settle();
    await aTurn();
    scene.state.suspendedAt = 1;
    scene.state.tokens = true; // as the newer act has written them, and was content
    await scene.release();
    await unsuspend;
    expect(scene.writes).to.deep.equal([false, true]);
    expect(scene.state.tokens).to.equal(true);
  });
});
