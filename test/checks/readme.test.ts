import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** The blocks of shell commands of a document. */
function commandsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
}

describe('Commands to paste', () => {
  it('README.md begins with the one that starts Dropleaf and the one that tests it', () => {
    const [start, test] = commandsOf('README.md');
    expect({ start, test }).to.deep.equal({ start: 'npm ci && npm start\n', test: 'npm ci && npm test\n' });
  });

  for (const path of ['README.md', 'docs/agents.md', 'cli/README.md']) {
    it(`${path} has no comments in them: zsh takes # for an argument`, () => {
      for (const code of commandsOf(path)) expect(code).not.to.match(/(^|\s)#/m);
    });
  }
});
