import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('SECURITY.md', () => {
  it('names only tests that exist', () => {
    const [, threats = ''] = readFileSync('SECURITY.md', 'utf8').split('## Threats');
    const lastColumns = [...threats.matchAll(/\| ([^|]+) \|$/gm)].map(([, text = '']) => text);
    const named = [...lastColumns.join().matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' });
    expect(named).to.have.length.above(40);
    expect(named.filter((name) => !files.some((file) => file.startsWith(`${name}.`)))).to.deep.equal([]);
  });
});
