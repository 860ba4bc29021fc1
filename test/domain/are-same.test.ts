import { expect } from 'chai';
import { areSame } from '../../shared/util/constant-time-equal.ts';

describe('areSame', () => {
  it('is true for the same text and for no other, whatever the lengths', () => {
    const secret = 'a secret of \u{1f343}';
    expect(areSame(secret, `a secret of ${'\u{1f343}'}`)).to.equal(true);
    for (const other of ['', 'a secret of', `${secret} `, secret.toUpperCase(), 'a secret of \u{1f342}']) {
      expect(areSame(secret, other), other).to.equal(false);
      expect(areSame(other, secret), other).to.equal(false);
    }
    expect(areSame('', '')).to.equal(true);
  });
});
