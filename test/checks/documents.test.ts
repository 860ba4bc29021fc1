import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { productionPackages } from '../../scripts/dependencies-document.ts';
import { documents } from '../../scripts/update-docs.ts';

describe('Documents that npm run docs writes', () => {
  for (const [path, write] of documents)
    it(`${path} is up to date`, function () {
      const isAnywhere =
        path !== 'docs/dependencies.md' || (process.platform === 'linux' && process.arch === 'x64');
      if (!isAnywhere) this.skip(); // sizes of packages differ
      expect(readFileSync(path, 'utf8')).to.equal(write());
    });
});

describe('Packages that production installs', () => {
  it('have licences that ask for no more than a notice', () => {
    const known =
      /^\(?((MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|OFL-1\.1|CC0-1\.0|Python-2\.0|Unlicense|BlueOak-1\.0\.0)( (AND|OR) )?)+\)?$/;
    expect(productionPackages().filter(({ licence }) => !known.test(licence))).to.deep.equal([]);
  });

  it('run no install script', () => {
    const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const { name, hasInstallScript } of productionPackages())
      if (hasInstallScript) expect(allowScripts, name).to.have.property(name, false);
  });
});
