import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { dropleaf } from './command.ts';

const commands = ['start', 'web', 'worker', 'migrate', 'config', 'token', 'sign-in-key', 'jobs', 'admin'];

describe('dropleaf on the command line', () => {
  it('--help names every command and the exit codes', async () => {
    const { stdout, stderr, code } = await dropleaf(['--help']);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    for (const command of commands) expect(stdout).to.match(new RegExp(`^ +${command}\\b`, 'm'));
    expect(stdout).to.contain('Exit codes');
  });

  for (const command of commands) {
    it(`${command} --help ends with an example of it`, async () => {
      const { stdout, code } = await dropleaf([command, '--help']);
      expect(code).to.equal(0);
      expect(stdout).to.match(new RegExp(`Example:\\n.*bin/dropleaf\\.js ${command}.*\\n$`));
    });
  }

  for (const act of ['takedown', 'restore', 'suspend', 'unsuspend', 'revoke-tokens', 'find', 'log']) {
    it(`admin ${act} --help ends with an example of it`, async () => {
      const { stdout, code } = await dropleaf(['admin', act, '--help']);
      expect(code).to.equal(0);
      expect(stdout).to.match(new RegExp(`Example:\\n.*bin/dropleaf\\.js admin ${act}.*\\n$`));
    });
  }

  it('--version prints the version of the package', async () => {
    const file = new URL('../../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8'));
    expect(await dropleaf(['--version'])).to.deep.equal({ stdout: `${version}\n`, stderr: '', code: 0 });
  });

  const misuses: [what: string, args: string[], answer: RegExp][] = [
    ['no command', [], /Usage: dropleaf/],
    ['an unknown command', ['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    ['an unknown option', ['start', '--prot'], /unknown option '--prot'/],
    ['too many arguments', ['config', 'PORT'], /too many arguments/],
    ['token without --user', ['token'], /required option '-u, --user <name>'/],
    ['takedown without --reason', ['admin', 'takedown', 'x'], /required option '-r, --reason <text>'/],
    ['an empty reason', ['admin', 'takedown', 'x', '-r', ' '], /argument ' ' is invalid. It is empty/],
    ['an unknown act', ['admin', 'takdown'], /unknown command 'takdown'\n\(Did you mean takedown\?\)/],
  ];
  for (const [what, args, answer] of misuses) {
    it(`exits 2 on ${what}, and says on stderr what is right`, async () => {
      const { stdout, stderr, code } = await dropleaf(args);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr)
        .to.match(answer)
        .and.to.match(/--help/);
    });
  }
});
