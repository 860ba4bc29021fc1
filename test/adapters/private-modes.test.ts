import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';
import { openServices, type Services } from '../../shared/engines/open-services.ts';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { makePrivate } from '../../shared/sqlite/data-dir.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('Files in the data directory', () => {
  let parent: string;
  let dir: string;
  let opened: Services[];
  const log = createRecordingLog();
  const umask = process.umask(0o000); // as wide as any user may have it
  process.umask(umask);

  beforeEach(() => {
    parent = makeTempDir();
    dir = join(parent, 'data');
    opened = [];
    log.lines.length = 0;
  });

  afterEach(async () => {
    process.umask(umask);
    for (const services of opened) await services.close();
    rmSync(parent, { recursive: true });
  });

  async function open(): Promise<Services> {
    const services = await openServices(readConfig({ DATA_DIR: dir }), {
      log,
      clock: createTestClock(),
    });
    opened.push(services);
    return services;
  }

  it('have no permissions for other users, whatever the umask: directory, database, WAL, secrets', async () => {
    process.umask(0);
    const services = await open();
    await services.signIns.signInWith(withoutClaims({ provider: 'local', subject: 'ada', name: 'ada' }));
    expect(modeOf(dir)).to.equal(0o700);
    const names = readdirSync(dir);
    expect(names).to.include.members([
      'dropleaf.sqlite',
      'dropleaf.sqlite-wal',
      'sign-in-key',
      'signing-secret',
    ]);
    for (const name of names) expect(modeOf(join(dir, name)), name).to.equal(0o600);
    expect(log.lines).to.deep.equal([]);
  });

  it('lose the permissions of other users at the start, with a warning', async () => {
    await (await open()).close();
    opened.length = 0;
    for (const name of readdirSync(dir)) chmodSync(join(dir, name), 0o664);
    await open();
    for (const name of readdirSync(dir)) expect(modeOf(join(dir, name)), name).to.equal(0o600);
    const told = log.lines.map(({ level, fields }) => `${level} ${fields.path} ${fields.mode}`);
    for (const name of ['dropleaf.sqlite', 'sign-in-key', 'signing-secret']) {
      expect(told).to.include(`warn ${join(dir, name)} 0664`);
    }
  });

  it('that Dropleaf did not create stay unchanged, and so does the directory, with a warning', async () => {
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    const note = join(dir, 'note.txt');
    writeFileSync(note, '');
    chmodSync(note, 0o644);
    await open();
    expect(modeOf(note)).to.equal(0o644);
    expect(modeOf(dir)).to.equal(0o755);
    expect(log.lines.map(({ message }) => message)).to.deep.equal([
      'Other users can open DATA_DIR; run chmod 700 on it',
    ]);
  });

  it('that are removed meanwhile cause no error', () => {
    mkdirSync(dir, { mode: 0o700 });
    makePrivate(dir, log);
    expect(log.lines).to.deep.equal([]);
  });
});
