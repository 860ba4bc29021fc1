import { expect } from 'chai';
import {
  hashToken,
  isWellFormedToken,
  maskTokens,
  newToken,
  tokenIdOf,
  tokenIn,
} from '../../shared/credentials/token.ts';

describe('API tokens', () => {
  it('are a prefix, an underscore and 36 base62 characters, and never the same', () => {
    const tokens = Array.from({ length: 1_000 }, newToken);
    for (const token of tokens) expect(token).to.match(/^dl_[0-9A-Za-z]{36}$/);
    expect(new Set(tokens).size).to.equal(tokens.length);
  });

  it('are well formed as made', () => {
    for (let n = 0; n < 1_000; n++) expect(isWellFormedToken(newToken())).to.equal(true);
  });

  it('are malformed with any one character changed, cut or added', () => {
    const token = newToken();
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'x' ? 'y' : 'x';
      expect(isWellFormedToken(token.slice(0, i) + other + token.slice(i + 1)), `at ${i}`).to.equal(false);
      expect(isWellFormedToken(token.slice(0, i) + token.slice(i + 1)), `without ${i}`).to.equal(false);
    }
    for (const text of [`${token}0`, ` ${token}`, `${token}\n`, token.toUpperCase(), '', 'dl_']) {
      expect(isWellFormedToken(text)).to.equal(false);
    }
  });

  it('are found in a text that was pasted, and logs get nothing of them or of a part', () => {
    const token = newToken();
    const header = `Authorization: Bearer ${token}\n`;
    expect(tokenIn(header)).to.equal(token);
    expect(tokenIn(`dl_${'0'.repeat(36)} ${token}`)).to.equal(token);
    expect(tokenIn(token.slice(0, -1))).to.equal(null);
    expect(maskTokens(header + token.slice(0, 12))).to.equal('Authorization: Bearer dl_***\ndl_***');
    expect(maskTokens('abc123 dl_x')).to.equal('abc123 dl_x');
  });

  it('have the first 12 hex characters of their SHA-256 as id', () => {
    const hash = hashToken('dl_x');
    expect(hash).to.match(/^[0-9a-f]{64}$/);
    expect(tokenIdOf(hash)).to.equal(hash.slice(0, 12));
  });
});
