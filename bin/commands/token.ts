import { localIdentity } from '../../shared/domain/account.ts';
import { isLongerThan } from '../../shared/domain/text.ts';
import type { Env } from '../env.ts';
import { UsageError } from '../usage-error.ts';
import { readDataConfig, withServices } from '../with-services.ts';

/**
 * Makes a token for the local account of that name, in the data of a service that runs or does not, and prints it
 * alone on stdout.
 * @throws UsageError when the name or the label can be none
 */
export async function token({ user, label }: { user: string; label?: string }, env: Env): Promise<void> {
  const config = readDataConfig(env, ['LABEL_MAX_CHARACTERS']);
  const identity = localIdentity(user);
  if (identity === null) {
    throw new UsageError(
      `--user "${user}" can be no name: use at most 39 letters, digits, ".", "_" and "-", a letter or digit first`,
    );
  }
  if (label !== undefined && isLongerThan(label, config.LABEL_MAX_CHARACTERS)) {
    throw new UsageError(`--label may have at most ${config.LABEL_MAX_CHARACTERS} characters`);
  }
  await withServices(config, async ({ createToken }) => {
    process.stdout.write(`${await createToken(identity, label || null)}\n`);
  });
  if (env.GITHUB_CLIENT_ID) {
    process.stderr.write(
      `This token is for the local account "${identity.name}", not for anybody who signs in with GitHub.\n`,
    );
  }
}
