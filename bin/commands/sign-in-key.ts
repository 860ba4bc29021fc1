import type { Env } from '../env.ts';
import { readDataConfig, withServices } from '../with-services.ts';

/**
 * Prints the key that people sign in with alone on stdout; where there is none yet, one is made.
 * @throws Error where people sign in with an identity provider
 */
export async function signInKey(env: Env): Promise<void> {
  const config = readDataConfig(env, ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']);
  if (config.GITHUB_CLIENT_ID !== '') {
    throw new Error('there is no sign-in key: GITHUB_CLIENT_ID is set, and people sign in with GitHub');
  }
  await withServices(config, async ({ signInKey }) => {
    process.stdout.write(`${await signInKey()}\n`);
  });
}
