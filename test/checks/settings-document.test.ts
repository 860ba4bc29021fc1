import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settingsDocument } from '../../scripts/update-docs.ts';

it('docs/settings.md is up to date (npm run docs writes it)', () => {
  expect(readFileSync('docs/settings.md', 'utf8')).to.equal(settingsDocument());
});
