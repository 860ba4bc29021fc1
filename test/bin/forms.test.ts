import { join } from 'node:path';
import { expect } from 'chai';
import { knownDataForm } from '../../shared/sqlite/data-form.ts';
import { formOf, makeOlderData, setForm } from '../support/older-data.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, logOf } from './command.ts';
import { makeData, useHome } from './home.ts';

const known = knownDataForm();
const folder = makeTempDir();
const commands = [
  'token --user me',
  'sign-in-key',
  'jobs',
  'jobs --retry',
  'admin reports',
  'admin log',
  'admin find me',
  'admin takedown abc123 --reason phishing',
  `export ${join(folder, 'a.tar')}`,
  `verify ${join(folder, 'none.tar')} --against-store`,
  `backup ${join(folder, 'backups')}`,
];

const prefixOf = (command: string, dir: string) =>
  command.startsWith('backup')
    ? 'no backup was made'
    : `The database ${dir}/dropleaf.sqlite cannot be opened`;

describe('The form of SQLite', () => {
  const home = useHome();

  describe('of an older release', () => {
    for (const command of commands)
      it(`is not changed by "${command}", which exits with 1 and says what to do`, async () => {
        makeOlderData(home.dir);
        expect(await dropleaf(command.split(' '), home.env)).to.deep.equal({
          stdout: '',
          stderr:
            `dropleaf: ${prefixOf(command, home.dir)}: the data have form ${known - 1} of an older release, and this ` +
            `release needs form ${known}; nothing was changed. Use the command of the older release, or upgrade: make a backup with ` +
            'the older release, stop its service, then run "bin/dropleaf.js start" or "bin/dropleaf.js migrate" of this one\n',
          code: 1,
        });
        expect(formOf(home.dir)).to.equal(known - 1);
      });

    it('is changed by start, which logs it, and commands work then', async () => {
      makeOlderData(home.dir);
      const service = await home.start();
      expect(formOf(home.dir)).to.equal(known);
      expect((await dropleaf(['token', '--user', 'me'], home.env)).code).to.equal(0);
      service.kill('SIGTERM');
      const lines = logOf(await service.ended()).filter(({ msg }) => msg.includes('has a new form'));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ level: 'info', from: known - 1, to: known });
    });

    it('is changed by migrate, which may run again', async () => {
      makeOlderData(home.dir);
      for (let i = 0; i < 2; i++) {
        const { stdout, code } = await dropleaf(['migrate'], home.env);
        expect({ stdout, code }).to.deep.equal({
          stdout: `SQLite in ${home.dir} (DATA_DIR) is ready for this release.\n`,
          code: 0,
        });
        expect(formOf(home.dir)).to.equal(known);
      }
    });

    it('is not changed while a service holds the data', async () => {
      const service = await home.start();
      setForm(home.dir, known - 1); // as if the service were of the older release
      for (const command of ['migrate', 'start']) {
        const { stderr, code } = await dropleaf([command], { ...home.env, PORT: '0' });
        expect(code).to.equal(1);
        expect(stderr).to.contain(`Another Dropleaf is running on ${home.dir}`);
      }
      expect(formOf(home.dir)).to.equal(known - 1);
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    });

    it('migrate does not create data', async () => {
      const dir = join(home.dir, 'dta');
      const { stderr, code } = await dropleaf(['migrate'], { DATA_DIR: dir });
      expect(code).to.equal(1);
      expect(stderr).to.contain(`no Dropleaf data in ${dir} (DATA_DIR)`);
    });
  });

  for (const command of [...commands, 'start', 'migrate'])
    it(`of a newer release is refused by "${command}"`, async () => {
      await makeData(home.dir);
      setForm(home.dir, known + 1);
      const { stderr, code } = await dropleaf(command.split(' '), { ...home.env, PORT: '0' });
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        `dropleaf: ${prefixOf(command, home.dir)}: the data have form ${known + 1} of a newer release, and this ` +
          `release knows forms up to ${known}; use the newer release, or restore the backup that was made before the upgrade\n`,
      );
      expect(formOf(home.dir)).to.equal(known + 1);
    });

  it('of a newer release makes a running service unready', async () => {
    const service = await home.start();
    setForm(home.dir, known + 1);
    const response = await fetch(`${service.url}/readyz`);
    expect(response.status).to.equal(503);
    expect(await response.text()).to.contain('"reason":"store_is_newer"');
    setForm(home.dir, known);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });
});
