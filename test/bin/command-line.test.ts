import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { storeForm } from '../../shared/engines/open-stores.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

const commands = ['start', 'web', 'worker', 'migrate', 'config', 'token', 'sign-in-key', 'jobs', 'admin'];
const adminCommands = [
  'takedown',
  'restore',
  'suspend',
  'unsuspend',
  'revoke-tokens',
  'link',
  'find',
  'log',
  'reports',
  'reports close',
];

describe('dropleaf on the command line', () => {
  it('--help lists every command and the exit codes', async () => {
    const { stdout, stderr, code } = await dropleaf(['--help']);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    for (const command of commands) expect(stdout).to.match(new RegExp(`^ +${command}\\b`, 'm'));
    expect(stdout).to.contain('Exit codes');
  });

  it('the help of every command ends with an example of it', async () => {
    for (const command of [...commands, ...adminCommands.map((name) => `admin ${name}`)]) {
      const { stdout, code } = await dropleaf([...command.split(' '), '--help']);
      expect(code).to.equal(0);
      expect(stdout).to.match(new RegExp(`Example:\\n.*bin/dropleaf\\.js ${command}.*\\n$`));
    }
  });

  it('--version prints the release, which the package of the client has too, and the forms of stored data', async () => {
    const releaseOf = (file: string) =>
      JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).version;
    const release = releaseOf('package.json');
    expect(release).to.match(/^\d+\.\d+\.\d+$/);
    expect(releaseOf('cli/package.json')).to.equal(release);
    expect(await dropleaf(['--version'])).to.deep.equal({
      stdout: `${release} (form ${storeForm('embedded')} of SQLite, ${storeForm('scale-out')} of MongoDB)\n`,
      stderr: '',
      code: 0,
    });
  });

  const misuses: [what: string, args: string[], answer: RegExp][] = [
    ['no command', [], /Usage: bin\/dropleaf\.js/],
    [
      'a command of the client',
      ['publish', 'a.html'],
      /"publish" is a command of the client.*node cli\.mjs publish/,
    ],
    ['an unknown command', ['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    ['an unknown option', ['start', '--prot'], /unknown option '--prot'/],
    ['too many arguments', ['config', 'PORT'], /too many arguments/],
    ['token without --user', ['token'], /required option '-u, --user <name>'/],
    ['takedown without --reason', ['admin', 'takedown', 'x'], /required option '-r, --reason <text>'/],
    [
      'an empty reason',
      ['admin', 'takedown', 'x', '-r', ' '],
      /argument ' ' is invalid. It must not be empty/,
    ],
    [
      'a reason of 1,001 characters',
      ['admin', 'suspend', 'x', '-r', 'a'.repeat(1_001)],
      /It must be at most 1000 characters \(got 1001\)/,
    ],
    ['a limit of 0', ['admin', 'log', '-n', '0'], /It must be a whole number from 1 to 1000/],
    [
      'an unknown admin command',
      ['admin', 'takdown'],
      /unknown command 'takdown'\n\(Did you mean takedown\?\)/,
    ],
    ['a control character', ['a\u001b[31m'], /unknown command 'a\ufffd\[31m'/],
  ];
  for (const [what, args, answer] of misuses) {
    it(`exits with 2 on ${what}, says on stderr what is wrong, and points to --help`, async () => {
      const { stdout, stderr, code } = await dropleaf(args);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr)
        .to.match(answer)
        .and.to.match(/--help/);
    });
  }
});

describe('a command where DATA_DIR holds no data', () => {
  const home = useHome();

  for (const command of [
    'token --user me',
    'sign-in-key',
    'jobs',
    'jobs --retry',
    'admin takedown abc123 --reason phishing',
    'admin find abc123',
    'admin log',
    'admin reports',
    'admin reports close --page abc123',
  ]) {
    it(`dropleaf ${command}: exits with 1, names the setting and the path, and creates nothing`, async () => {
      const dir = join(home.dir, 'dta');
      expect(await dropleaf(command.split(' '), { DATA_DIR: dir })).to.deep.equal({
        stdout: '',
        stderr: `dropleaf: no Dropleaf data in ${dir} (DATA_DIR): start the service once, or set DATA_DIR to where its data is\n`,
        code: 1,
      });
      expect(existsSync(dir)).to.equal(false);
    });
  }

  it('creates nothing in an existing directory without data', async () => {
    const dir = join(home.dir, 'other');
    mkdirSync(dir);
    const { stderr, code } = await dropleaf(['jobs'], { DATA_DIR: dir });
    expect(code).to.equal(1);
    expect(stderr).to.contain(`no Dropleaf data in ${dir} (DATA_DIR)`);
    expect(readdirSync(dir)).to.deep.equal([]);
  });

  if (process.getuid?.() !== 0) {
    it('says which user to run as if the directory belongs to another user', async () => {
      chmodSync(home.dir, 0o500);
      const { stderr, code } = await dropleaf(['jobs'], home.env);
      chmodSync(home.dir, 0o700);
      expect(code).to.equal(1);
      expect(stderr).to.contain(
        `this user may not write to ${home.dir} (DATA_DIR): run the command as the user that the service runs as`,
      );
    });
  }
});
