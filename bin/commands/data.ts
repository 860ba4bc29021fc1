import type { Command } from 'commander';
import { isScaleOut } from '../../shared/config/config.ts';
import { readRelease } from '../../shared/version.ts';
import { addCommand, readDataConfig } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { countOf, startTimer } from '../text.ts';

/** The commands for all data at once: archives and backups. */
export function addDataCommands(program: Command, io: ProcessIo): void {
  addCommand(program, 'export', {
    summary: 'write all data to one archive',
    description:
      'Writes everything that must last to one tar file: accounts, tokens, drops with all versions and views, reports, the ' +
      'log of operators, and the secrets that the service generated. Works on both engines, while the service runs: each ' +
      'drop is in the archive whole or not at all. The archive is as secret as the data: only this user may read it. It ' +
      'is not compressed; pipe it through zstd or gzip for that. Sessions and sign-ins are not in it.',
    examples: [
      'bin/dropleaf.js export /backups/dropleaf.tar',
      'bin/dropleaf.js export - | zstd > /backups/dropleaf.tar.zst',
    ],
  })
    .argument('<file>', 'the archive to create, or "-" for stdout')
    .option('-f, --force', 'replace the file if it exists')
    .option('--skip-damaged', 'leave out drops with a missing or damaged document, and list them')
    .action(async (file: string, options: { force?: true; skipDamaged?: true }) => {
      const { exportData } = await import('./archives.ts');
      await exportData(file, options, io);
    });

  addCommand(program, 'import', {
    summary: 'fill an empty store from an archive',
    description:
      'Fills the store that the settings choose, SQLite in DATA_DIR or MongoDB, with the data of an archive of either engine. ' +
      'The store must be empty, and no service may run on it. A file is verified before anything is stored. After an ' +
      'interruption run the same command again: it resumes, and until it is complete no service starts on the data.',
    examples: [
      'bin/dropleaf.js import /backups/dropleaf.tar',
      'zstd -dc /backups/dropleaf.tar.zst | bin/dropleaf.js import -',
    ],
  })
    .argument('<file>', 'the archive, or "-" for stdin')
    .action(async (file: string) => {
      const { importData } = await import('./archives.ts');
      await importData(file, io);
    });

  addCommand(program, 'verify', {
    summary: 'check every digest of an archive',
    description:
      'Checks an archive: every digest and count, and that each version has its document, and each drop and token its ' +
      'account. Prints what is wrong and exits with 1.',
    examples: [
      'bin/dropleaf.js verify /backups/dropleaf.tar',
      'bin/dropleaf.js verify --against-store /backups/dropleaf.tar',
    ],
  })
    .argument('<file>', 'the archive, or "-" for stdin')
    .option('--against-store', 'also compare it with the stored data and print what differs')
    .action(async (file: string, options: { againstStore?: true }) => {
      const { verifyData } = await import('./archives.ts');
      await verifyData(file, options, io);
    });

  addCommand(program, 'backup', {
    summary: 'copy the data of the embedded engine',
    description:
      'Copies DATA_DIR into a new folder of DIR, named by the time (UTC): the database and the secrets that the service ' +
      'generated. The service may run meanwhile. The copy is checked before it gets its name; without enough space there ' +
      'is none. It is as secret as the data: only this user may read it. To restore it, stop the service, move DATA_DIR ' +
      'away, and copy the folder to DATA_DIR.',
    examples: ['bin/dropleaf.js backup /var/backups/dropleaf --keep 7'],
  })
    .argument('<dir>', 'the folder of the backups, of one service alone; it is created if it is missing')
    .option('-k, --keep <count>', 'then remove older backups of this data, so that this many stay')
    .action((dir: string, options: { keep?: string }) => backup(dir, options, io));
}

const keepMax = 10_000;

/** Makes a verified backup of SQLite data and prints its path. @throws UsageError on MongoDB, or for an invalid `keep` */
async function backup(dir: string, { keep }: { keep?: string }, io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env);
  if (isScaleOut(config)) {
    throw new UsageError(
      '"bin/dropleaf.js backup" copies SQLite, and MONGODB_URI and REDIS_URL choose MongoDB: use the snapshots of your ' +
        'MongoDB, mongodump, or "bin/dropleaf.js export FILE"',
    );
  }
  const kept = readKeep(keep);
  const { backUp } = await import('../../shared/engines/back-up.ts');
  const seconds = startTimer();
  const made = await backUp({
    dataDir: config.DATA_DIR,
    dir,
    keep: kept,
    release: readRelease(),
    now: Date.now(),
  });
  const { drops = 0, drop_versions: versions = 0, accounts = 0 } = made.rows;
  const counts = [countOf(drops, 'drop'), countOf(versions, 'version'), countOf(accounts, 'account')].join(
    ', ',
  );
  io.stdout.write(`${made.path}\n`);
  io.stdout.write(`  ${counts}, ${(made.bytes / 1_000_000).toFixed(1)} MB, checked, in ${seconds()}\n`);
  for (const path of made.removed) io.stdout.write(`  removed ${path}\n`);
}

/** null: all backups stay. */
function readKeep(keep: string | undefined): number | null {
  if (keep === undefined) return null;
  if (/^[1-9]\d{0,4}$/.test(keep) && Number(keep) <= keepMax) return Number(keep);
  throw new UsageError(`--keep must be a number from 1 to ${keepMax} (got "${keep}")`);
}
