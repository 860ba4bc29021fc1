import { lutimesSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { configDir, createCredentials } from '../../cli/credentials.ts';
import { CliError } from '../../cli/errors.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('credentials of the client', () => {
  const openIn = (homeDir: string) => createCredentials({ env: {}, platform: 'linux', homeDir });

  it('twenty changes at once lose nothing', async () => {
    const homeDir = makeTempDir();
    const origins = Array.from({ length: 20 }, (_, n) => `https://service-${n}.example`);
    await Promise.all(origins.map((origin) => openIn(homeDir).save(origin, { token: 'dl_x', user_id: 'u' })));
    const credentials = openIn(homeDir);
    expect(credentials.origins()).to.have.members(origins);
    expect(readdirSync(dirname(credentials.path))).to.deep.equal(['credentials.json']);
  });

  it('remove keeps a sign-in that was made since', async () => {
    const credentials = openIn(makeTempDir());
    await credentials.save('https://a.example', { token: 'dl_new', user_id: 'u' });
    await credentials.remove('https://a.example', ({ token }) => token === 'dl_old');
    expect(credentials.find('https://a.example')?.token).to.equal('dl_new');
  });

  for (const [what, leave] of [
    ['that a crashed process left', (lock: string) => writeFileSync(lock, '')],
    ['that is a link to nowhere', (lock: string) => symlinkSync('/nowhere', lock)],
  ] as const) {
    it(`a lock ${what} is removed`, async () => {
      const credentials = openIn(makeTempDir());
      mkdirSync(dirname(credentials.path), { recursive: true });
      leave(`${credentials.path}.lock`);
      const before = new Date(Date.now() - 11_000);
      lutimesSync(`${credentials.path}.lock`, before, before);
      await credentials.save('https://a.example', { token: 'dl_x', user_id: 'u' });
      expect(credentials.origins()).to.deep.equal(['https://a.example']);
      expect(readdirSync(dirname(credentials.path))).to.deep.equal(['credentials.json']);
    });
  }

  it('a token with a line break, from a service that is none, is not stored, so that the others stay usable', async () => {
    const credentials = openIn(makeTempDir());
    await credentials.save('https://a.example', { token: 'dl_x', user_id: 'u' });
    const saving = credentials.save('https://b.example', { token: 'x\r\nX-Evil: 1', user_id: 'u' });
    expect(await rejectionOf(saving)).to.be.instanceOf(CliError);
    expect(credentials.find('https://a.example')?.token).to.equal('dl_x');
  });

  const home = join('/home', 'ada');
  const folders: [NodeJS.Platform, Record<string, string>, string][] = [
    ['linux', {}, join(home, '.config')],
    ['linux', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, join(home, '.config')],
    ['darwin', {}, join(home, 'Library', 'Application Support')],
    ['darwin', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada'],
    ['win32', { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' }, 'C:\\Users\\ada\\AppData\\Roaming'],
    ['win32', {}, join(home, 'AppData', 'Roaming')],
  ];
  for (const [platform, env, folder] of folders) {
    it(`are in ${folder} on ${platform} with ${JSON.stringify(env)}`, () => {
      expect(configDir({ platform, env, homeDir: home })).to.equal(folder);
    });
  }
});
