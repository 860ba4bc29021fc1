import { expect } from 'chai';
import { factsOf } from '../../shared/domain/etag.ts';

describe('factsOf', () => {
  it('counts bytes, and names them by the first 27 characters of their SHA-256 in base64url', () => {
    const whole = Buffer.from('<é>');
    const digest = 'SplVfkAzw1Od4utlRyAXytX5VX9';
    expect(factsOf(whole.subarray(1, 3))).to.deep.equal({ byteLength: 2, digest });
  });
});
