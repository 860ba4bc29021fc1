import type { Request } from 'express';
import { type Identity, localIdentity } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { quotaOf } from '../../shared/limits/visitor.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { visitorOf } from '../http/client-address.ts';
import type { Form } from '../http/show.ts';

/**
 * @returns a function that reads name and sign-in key from a form. It throws DropError `invalid_arg` for a name, `forbidden`
 *   for a wrong key, `rate_limited` after too many
 */
export function createLocalSignIn({ limits, config }: Pick<Services, 'limits' | 'config'>) {
  return async (req: Request, form: Form, signInKey: string): Promise<Identity> => {
    const identity = localIdentity(form.get('name') ?? '');
    if (identity === null) {
      const message =
        'The name must have 1 to 39 letters (a-z), digits, ".", "-" or "_", and start with a letter or digit.';
      throw new DropError('invalid_arg', message, { field: 'name' });
    }
    const key = (form.get('key') ?? '').trim();
    const visitor = visitorOf(req.ip);
    const isRight = await limits.attempts.key.run({
      visitor,
      // Per address only: the key has 143 bits, and a shared limit would let anybody lock the operator out.
      quotas: [quotaOf('key', visitor.address, config.CODE_TRIES)],
      check: async () => constantTimeEqual(key, signInKey),
      counts: (isRight) => !isRight,
    });
    if (!isRight) throw new DropError('forbidden', 'The sign-in key is wrong.', { field: 'key' });
    return identity;
  };
}
