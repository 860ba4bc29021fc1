import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { productionPackages, testedNodes } from '../../scripts/dependencies-document.ts';
import { documents } from '../../scripts/update-docs.ts';

describe('Documents that npm run docs writes', () => {
  for (const [path, write] of documents)
    it(`${path} is up to date`, () => {
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

it('CI tests the lowest Node of engines, and that of the image', () => {
  const { lowest, current } = testedNodes();
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(`>=${lowest}`).to.equal(`${engines.node}.0`);
  expect(readFileSync('Dockerfile', 'utf8')).to.include(`/node:${current.split('.')[0]}-`);
});
