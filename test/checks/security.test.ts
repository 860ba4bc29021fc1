import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('SECURITY.md', () => {
  it('names only test files that exist', () => {
    const named = readFileSync('SECURITY.md', 'utf8').match(/\btest\/[\w./-]+\.ts\b/g) ?? [];
    expect(named).to.have.length.above(0);
    expect(named.filter((file) => !existsSync(file))).to.deep.equal([]);
  });
});
