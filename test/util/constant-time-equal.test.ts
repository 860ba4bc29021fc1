import { expect } from 'chai';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';

describe('constantTimeEqual', () => {
  it('is true for the same text and for no other, whatever the lengths', () => {
    const secret = 'a secret of \u{1f343}';
    expect(constantTimeEqual(secret, `a secret of ${'\u{1f343}'}`)).to.equal(true);
    for (const other of ['', 'a secret of', `${secret} `, secret.toUpperCase(), 'a secret of \u{1f342}']) {
      expect(constantTimeEqual(secret, other), other).to.equal(false);
      expect(constantTimeEqual(other, secret), other).to.equal(false);
    }
    expect(constantTimeEqual('', '')).to.equal(true);
  });
});
