import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

const commands: readonly (readonly string[])[] = [
  ['token', '--user', 'me'],
  ['sign-in-key'],
  ['jobs'],
  ['jobs', '--retry'],
  ['admin', 'takedown', 'abc123', '--reason', 'phishing'],
  ['admin', 'restore', 'abc123'],
  ['admin', 'suspend', 'me'],
  ['admin', 'unsuspend', 'me'],
  ['admin', 'revoke-tokens', 'me'],
  ['admin', 'find', 'abc123'],
  ['admin', 'log'],
  ['admin', 'reports'],
  ['admin', 'reports', '--by-page'],
  ['admin', 'reports', 'close', '--page', 'abc123'],
];

describe('a command for operators where DATA_DIR holds no data', () => {
  const home = useHome();

  for (const args of commands) {
    it(`dropleaf ${args.join(' ')}: exits 1, names the setting and the path, and makes nothing`, async () => {
      const dir = join(home.dir, 'dta');
      expect(await dropleaf(args, { DATA_DIR: dir })).to.deep.equal({
        stdout: '',
        stderr: `dropleaf: no Dropleaf data in ${dir} (DATA_DIR): start the service once, or set DATA_DIR to where its data is\n`,
        code: 1,
      });
      expect(existsSync(dir)).to.equal(false);
    });
  }

  it('leaves a folder of something else as it is', async () => {
    const dir = join(home.dir, 'other');
    mkdirSync(dir);
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me'], { DATA_DIR: dir });
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.contain(`no Dropleaf data in ${dir} (DATA_DIR)`);
    expect(readdirSync(dir)).to.deep.equal([]);
  });

  // Root may write everywhere, so for root there is nothing to test.
  if (process.getuid?.() !== 0) {
    it('says so of a folder that belongs to another user', async () => {
      chmodSync(home.dir, 0o500);
      const { stdout, stderr, code } = await dropleaf(['jobs'], home.env);
      chmodSync(home.dir, 0o700);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.equal(
        `dropleaf: this user may not write to ${home.dir} (DATA_DIR): run the command as the user that the service runs as\n`,
      );
    });
  }
});
