import { isScaleOut } from '../../shared/config/config.ts';
import { readVersion } from '../../shared/version.ts';
import { readDataConfig } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { countOf, startTimer } from '../text.ts';

const keepMax = 10_000;

/**
 * Makes a verified backup of the embedded engine's data and prints where it is.
 * @throws UsageError if the settings choose MongoDB, or `keep` is not a number of backups
 */
export async function backup(dir: string, { keep }: { keep?: string }, io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env);
  if (isScaleOut(config)) {
    throw new UsageError(
      '"bin/dropleaf.js backup" copies SQLite, and MONGODB_URI and REDIS_URL choose MongoDB: use the snapshots of your ' +
        'MongoDB, mongodump, or "bin/dropleaf.js export FILE"',
    );
  }
  const kept = readKeep(keep);
  const { backUp } = await import('../../shared/open-backup.ts');
  const seconds = startTimer();
  const made = await backUp({
    ...{ dataDir: config.DATA_DIR, dir, keep: kept },
    ...{ release: readVersion(), now: Date.now() },
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
