import { describeConfig } from '../../shared/config/config.ts';
import { localIdentity } from '../../shared/domain/account.ts';
import { migrateStores } from '../../shared/open-stores.ts';
import { describeMisspelled, describeUnused, isFromFile, readSettings } from '../environment.ts';
import { describeStore, readDataConfig, withServices } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';

/**
 * Prints every setting with its value, and warns about misspelled names and settings without an effect.
 * @throws ConfigError listing every invalid setting
 */
export function printConfig({ env, stdout, stderr }: ProcessIo): void {
  const warn = (text: string) => void stderr.write(`dropleaf: ${text}\n`);
  describeMisspelled(env).forEach(warn); // also if a setting is invalid
  const config = readSettings(env);
  describeUnused(config).forEach(warn);
  const rows = describeConfig(config);
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, isDefault } of rows) {
    const isUnchanged = value !== '' && (isDefault || !env[name]);
    const mark = isFromFile(env, name) ? '  (from file)' : isUnchanged ? '  (default)' : '';
    stdout.write(`${name.padEnd(nameWidth)}  ${value || '(unset)'}${mark}\n`);
  }
}

/**
 * Gives the stored data the form of this release. Any invalid setting stops it: platforms run it before a release, and a
 * release with that setting would not start.
 * @throws Error if a service runs on SQLite
 */
export async function migrate({ env, stdout, stderr }: ProcessIo): Promise<void> {
  const config = readSettings(env);
  const { createLog } = await import('../log.ts');
  const log = createLog(config.LOG_LEVEL, stderr);
  await migrateStores(config, { log });
  await log.flush();
  stdout.write(`${describeStore(config)} is ready for this release.\n`);
}

/**
 * Creates a token for a local account and prints it, and nothing else, on stdout.
 * @throws UsageError if the name or the label is invalid
 */
export async function token({ user, label }: { user: string; label?: string }, io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env, ['LABEL_MAX_CHARACTERS']);
  const identity = localIdentity(user);
  if (identity === null) {
    throw new UsageError(
      `--user must be 1 to 39 letters, digits, ".", "_" or "-", and start with a letter or digit (got "${user}")`,
    );
  }
  const length = [...(label ?? '')].length;
  if (length > config.LABEL_MAX_CHARACTERS) {
    throw new UsageError(`--label must be at most ${config.LABEL_MAX_CHARACTERS} characters (got ${length})`);
  }
  await withServices(config, io, async ({ createToken }) => {
    io.stdout.write(`${await createToken(identity, label || null)}\n`);
  });
  if (io.env.GITHUB_CLIENT_ID) {
    io.stderr.write(
      `This token belongs to the local account "${identity.name}", which is not the GitHub account of that name.\n`,
    );
  }
}

/**
 * Prints the sign-in key, and nothing else on stdout. The first call generates it.
 * @throws Error if people sign in with GitHub
 */
export async function signInKey(io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env, ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']);
  if (config.GITHUB_CLIENT_ID !== '') {
    throw new Error('there is no sign-in key: GITHUB_CLIENT_ID is set, so people sign in with GitHub');
  }
  await withServices(config, io, async ({ signInKey }) => {
    io.stdout.write(`${await signInKey()}\n`);
  });
}
