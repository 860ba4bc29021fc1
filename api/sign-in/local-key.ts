import type { Request } from 'express';
import { type Identity, localIdentity } from '../../shared/domain/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { errorText } from '../html/error-page.ts';
import { visitorOf } from '../http/client-address.ts';

/** The form of `localView` in views.ts, refused. */
export interface RefusedForm {
  readonly error: DropError;
  readonly field: 'name' | 'key';
  readonly message: string;
}

/** @returns a function that reads name and sign-in key from a form, and returns the identity, or what is wrong with it */
export function createLocalSignIn({ limits, config }: Pick<Services, 'limits' | 'config'>) {
  /** @throws DropError `forbidden` for a wrong key, `rate_limited` after too many */
  async function checkKey(req: Request, key: string, expected: string): Promise<void> {
    const visitor = visitorOf(req.ip);
    const isRight = await limits.attempts.key.run({
      visitor,
      // Per address only: the key has 143 bits, and a shared limit would let anybody lock the operator out.
      quotas: [{ key: `key:${visitor.address}`, limit: config.CODE_TRIES }],
      check: async () => constantTimeEqual(key, expected),
      counts: (isRight) => !isRight,
    });
    if (!isRight) throw new DropError('forbidden', 'The sign-in key is wrong.', { field: 'key' });
  }

  return async (
    req: Request,
    form: ReadonlyMap<string, string>,
    signInKey: string,
  ): Promise<Identity | RefusedForm> => {
    const identity = localIdentity(form.get('name') ?? '');
    if (identity === null) {
      const message =
        'The name must have 1 to 39 letters (a-z), digits, ".", "-" or "_", and start with a letter or digit.';
      return { field: 'name', error: new DropError('invalid_arg', message, { field: 'name' }), message };
    }
    try {
      await checkKey(req, (form.get('key') ?? '').trim(), signInKey);
      return identity;
    } catch (error) {
      if (!(error instanceof DropError)) throw error;
      return { field: 'key', error, message: errorText(error) };
    }
  };
}
