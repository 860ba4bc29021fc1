import { expect } from 'chai';
import { expectCoherence } from './expect-coherence.ts';
import { runCoherence } from './run.ts';

describe('Coherence of two web processes', () => {
  it('no request sees what an acknowledged change had ended', async function () {
    await expectCoherence(this, { engine: 'scale-out', fault: 'slow-mongo', seconds: 10, seed: 1 });
  });

  it('the check fails if both processes confirm notices and ignore them', async function () {
    this.timeout(60_000);
    const { violations } = await runCoherence({
      engine: 'scale-out',
      fault: 'drop-notices',
      seconds: 8,
      seed: 1,
    });
    expect(violations).to.not.be.empty;
  });
});
