import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type OptionName, readConfig } from '../../shared/config.ts';
import { localIdentity } from '../../shared/domain/account.ts';
import { isLongerThan } from '../../shared/domain/text.ts';
import { openServices } from '../../shared/open-services.ts';
import { createLog } from '../log.ts';
import { UsageError } from '../usage-error.ts';

/** The settings that matter here: a fault in any other is not in the way. */
const needed = ['DATA_DIR', 'LABEL_MAX_CHARACTERS'] as const satisfies OptionName[];

/**
 * Makes a token for the local account of that name, in the data of a service that runs or does not, and prints it
 * alone on stdout.
 * @throws UsageError when the name or the label can be none
 */
export async function token(
  { user, label }: { user: string; label?: string },
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const config = readConfig({
    ...Object.fromEntries(needed.map((name) => [name, env[name]])),
    LOG_LEVEL: 'error',
  });
  const identity = localIdentity(user);
  if (identity === null) {
    throw new UsageError(
      `--user "${user}" can be no name: use at most 39 letters, digits, ".", "_" and "-", a letter or digit first`,
    );
  }
  if (label !== undefined && isLongerThan(label, config.LABEL_MAX_CHARACTERS)) {
    throw new UsageError(`--label may have at most ${config.LABEL_MAX_CHARACTERS} characters`);
  }
  const isNew = !existsSync(config.DATA_DIR);
  const services = await openServices(config, { log: createLog(config.LOG_LEVEL), role: 'command' });
  try {
    const account = await services.signIns.signInWith(identity);
    const plaintext = await services.tokens.mint(account.id, label || null);
    process.stdout.write(`${plaintext}\n`);
  } finally {
    await services.close();
  }
  if (isNew) {
    const dir = resolve(config.DATA_DIR);
    process.stderr.write(
      `There was no data in ${dir}, so it was made: start the service with this DATA_DIR.\n`,
    );
  }
  if (env.GITHUB_CLIENT_ID) {
    process.stderr.write(
      `This token is for the local account "${identity.name}", not for anybody who signs in with GitHub.\n`,
    );
  }
}
