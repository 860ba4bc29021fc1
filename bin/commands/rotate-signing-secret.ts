import type { Rotation } from '../../shared/services/signing-secrets.ts';
import type { Env } from '../env.ts';
import { readDataConfig, withServices } from '../with-services.ts';

/**
 * Puts a new signing secret beside those that are kept with the data, and says when it signs.
 * @param options `atOnce`: it signs now and the others are void, which signs everybody out
 * @throws Error where the settings name the secret, or no new one can be taken now
 */
export async function rotateSigningSecret({ atOnce = false }: { atOnce?: boolean }, env: Env): Promise<void> {
  const config = readDataConfig(env, ['SIGNING_SECRET', 'SIGNING_SECRETS_ACCEPTED']);
  if (config.SIGNING_SECRET !== '') {
    throw new Error(
      'SIGNING_SECRET is set, so it is replaced there: SECURITY.md says how, without signing anybody out',
    );
  }
  await withServices(config, async ({ signingSecrets }) => {
    process.stdout.write(tell(await signingSecrets.rotate({ atOnce }), atOnce));
  });
}

/** What a service was given when it started cannot be seen from here. */
const elsewhere =
  'A service with SIGNING_SECRET in its settings goes by that alone: replace it there (SECURITY.md says how).\n';

/** @throws Error where there is no new one */
function tell(rotation: Rotation, atOnce: boolean): string {
  switch (rotation.outcome) {
    case 'added':
      return atOnce
        ? `A new secret signs. All that older ones have signed is void within 30 seconds in every process that has no SIGNING_SECRET.\n${elsewhere}`
        : `A new secret signs from ${timeOf(rotation)}. What older ones have signed stays good for its time.\n${elsewhere}`;
    case 'one_is_waiting':
      throw new Error(
        `a new secret is there already and signs from ${timeOf(rotation)}: rotate again after that`,
      );
    case 'too_many':
      throw new Error('there are 20 secrets, of which some things may still be good: rotate again in a day');
  }
}

function timeOf({ signsFrom }: { signsFrom: number }): string {
  return new Date(signsFrom).toISOString();
}
