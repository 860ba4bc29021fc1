import { expect } from 'chai';
import { Audit } from '../../shared/moderation/audit.ts';
import { createTestClock } from '../support/clock.ts';
import { createGate } from '../support/gate.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

const act = { act: 'suspend', by: 'root', target: 'ada', reason: 'spam' } as const;

describe('An act of an operator', () => {
  /** An audit log that notes what happens, behind a gate. */
  function createScene() {
    const happened: string[] = [];
    const gate = createGate();
    const note = async (what: string) => happened.push(what) > 0;
    const log = {
      begin: async () => void (await note('begin')),
      end: (_: string, outcome: string) => note(`end ${outcome}`),
      list: async () => [],
    };
    const audit = new Audit({ auditLog: gate.wrap(log), clock: createTestClock() });
    const work = async () => void happened.push('act');
    return { happened, gate, done: () => audit.record(act, work, () => 'done') };
  }

  it('is done once its entry is stored, and returns once its outcome is', async () => {
    const { happened, gate, done } = createScene();
    gate.holdAnswers();
    const recorded = done();
    await until(() => gate.waiting() > 0, 'the entry is stored');
    expect(happened).to.deep.equal(['begin']);
    gate.open();
    await recorded;
    expect(happened).to.deep.equal(['begin', 'act', 'end done']);
  });

  it('is not done if its entry cannot be stored', async () => {
    const { happened, gate, done } = createScene();
    gate.refuse(new Error('the disk is full'));
    expect((await rejectionOf(done())).message).to.equal('the disk is full');
    expect(happened).to.deep.equal([]);
  });
});
