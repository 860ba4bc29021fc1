import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beginBackup, removeOldBackups } from '../../shared/archives/files.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('the folder of backups', () => {
  it('has links that look like backups: what they lead to stays', () => {
    const [dir, data] = [makeTempDir(), makeTempDir()];
    const files = ['dropleaf.sqlite', 'signing-secret', 'backup.json'].map((name) => join(data, name));
    for (const file of files) {
      writeFileSync(file, JSON.stringify({ format: 'dropleaf-backup-1', dataDir: '/srv/data' }));
    }
    for (const name of ['.dropleaf-20260101T000000Z.partial', 'dropleaf-20260102T000000Z']) {
      symlinkSync(data, join(dir, name));
    }
    mkdirSync(join(dir, 'dropleaf-20260103T000000Z'));
    beginBackup(dir, Date.UTC(2026, 0, 4)).discard();
    expect(removeOldBackups(dir, '/srv/data', 1)).to.deep.equal([]);
    expect(files.filter((file) => !existsSync(file))).to.deep.equal([]);
  });
});
