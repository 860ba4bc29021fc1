import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { namedFiles } from '../support/landing-files.ts';

describe('The files that a landing leaves out', () => {
  it('exist under these names', () => {
    const compiled = join(import.meta.dirname, '..');
    expect(namedFiles.filter((name) => !existsSync(join(compiled, name)))).to.deep.equal([]);
  });
});
