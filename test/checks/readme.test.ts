import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withSettingsTable } from '../../scripts/settings-table.ts';

describe('README.md', () => {
  it('has the table of settings that the code has (npm run docs makes it)', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(readme).to.equal(withSettingsTable(readme));
  });
});
