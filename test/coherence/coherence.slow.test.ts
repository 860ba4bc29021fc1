import { expect } from 'chai';
import { expectCoherence } from './expect-coherence.ts';
import { runCoherence } from './run.ts';

describe('Coherence of one process and the operator', () => {
  it('no request sees what an acknowledged change had ended', async function () {
    await expectCoherence(this, { engine: 'embedded', fault: 'none', seconds: 4, seed: 1 });
  });

  it('the check fails if the service ignores its own changes', async function () {
    this.timeout(60_000);
    const { violations } = await runCoherence({
      engine: 'embedded',
      fault: 'drop-notices',
      seconds: 4,
      seed: 1,
    });
    expect(violations).to.not.be.empty;
  });
});
