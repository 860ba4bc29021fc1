import type { Request } from 'express';
import type { Identity } from '../../shared/accounts/account.ts';
import { deriveLocalIdentity } from '../../shared/accounts/local-names.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { visitorOf } from '../http/client-address.ts';
import { type Form, orAgain, type Shown } from '../http/show.ts';
import { type LocalForm, localPage, namePage, newAccountPage, takenPage } from './local-views.ts';

/** How long a person may think about a name, after the right key. */
const namingMs = 10 * 60_000;
const purpose = 'local sign-in';

/** Stands for the right key on the pages that ask about the name: sealed, in a hidden field. */
interface Proof {
  /** The only name for which it is one; null: for any. */
  readonly name: string | null;
  /** Of the account that is to be made, another one for each question: the answer may be sent twice. */
  readonly accountId: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

type Finish = (identity: Identity) => Promise<Shown>;

/** A person signs in with a name and the sign-in key. A name that no account has is asked about, after the key. */
export class LocalSignIn {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Answers the form with the next page. @param finish what follows the sign-in */
  answer(req: Request, sent: Form, form: LocalForm, finish: Finish): Promise<Shown> {
    const typed = sent.get('name') ?? '';
    const checkKeyAndName = async () => {
      const proof = (await this.#openProof(sent)) ?? (await this.#checkKey(req, sent));
      const forAnyName = await this.#seal({ ...proof, name: null });
      if (sent.get('answer') === 'other') return namePage(form, typed, forAnyName);
      return orAgain(
        req,
        () => this.#signIn(readName(typed), typed, form, proof, finish),
        (error) => namePage(form, typed, forAnyName, error),
      );
    };
    return orAgain(req, checkKeyAndName, (error) => localPage(form, typed, error));
  }

  async #signIn(
    identity: Identity,
    typed: string,
    form: LocalForm,
    proof: Proof,
    finish: Finish,
  ): Promise<Shown> {
    const { signIns } = this.#services;
    const { name } = identity;
    if (proof.name === name) {
      const isOwn = (await signIns.create(identity, proof.accountId)) !== null;
      return isOwn ? finish(identity) : takenPage(form, name, await this.#seal({ ...proof, name: null }));
    }
    if (await signIns.hasAccount(identity)) return finish(identity);
    // The proof may have made an account already.
    const accountId = newId(this.#services.clock.now());
    return newAccountPage(form, { name, typed }, await this.#seal({ ...proof, name, accountId }));
  }

  /** null: the form has none, or it is not one for its name. */
  async #openProof(sent: Form): Promise<Proof | null> {
    const sealed = sent.get('proof') ?? '';
    if (sealed === '') return null;
    const proof = (await this.#services.sealer.open(purpose, sealed)) as Proof | null; // proof: sealed below
    const isFor = proof?.name === null || sent.get('answer') === 'other' || proof?.name === sent.get('name');
    return isFor ? proof : null;
  }

  #seal(proof: Proof): Promise<string> {
    return this.#services.sealer.seal(purpose, proof, proof.expiresAt);
  }

  /** @returns a new proof @throws DropError `forbidden` for a wrong key, `rate_limited` */
  async #checkKey(req: Request, sent: Form): Promise<Proof> {
    const { clock } = this.#services;
    const key = (sent.get('key') ?? '').trim();
    if (key === '' && sent.has('proof')) throw outOfDate(); // no attempt
    await checkSignInKey(this.#services, req, key);
    const now = clock.now();
    return { name: null, accountId: newId(now), expiresAt: now + namingMs };
  }
}

/** @throws DropError `forbidden` for a wrong key, `rate_limited` */
export async function checkSignInKey(
  { limits, signInKey }: Pick<Services, 'limits' | 'signInKey'>,
  req: Request,
  key: string,
): Promise<void> {
  const visitor = visitorOf(req.ip);
  const isRight = await limits.attempts.key.run({
    visitor,
    // Per address only: the key has 143 bits, and a shared limit would let anybody lock the operator out.
    quotas: [limits.quotaOf(limitTable.signInKey, visitor.address)],
    act: async () => signInKey !== null && constantTimeEqual(key, signInKey),
    counts: (isRight) => !isRight,
  });
  if (!isRight) throw new DropError('forbidden', 'The sign-in key is wrong.', { field: 'key' });
}

function outOfDate(): DropError {
  const message = 'The question about the name is out of date. Enter the sign-in key again.';
  return new DropError('forbidden', message, { field: 'key' });
}

/** @throws DropError `invalid_arg` */
export function readName(typed: string): Identity {
  const identity = deriveLocalIdentity(typed);
  if (identity !== null) return identity;
  const message =
    'The name must have 1 to 39 letters (a-z), digits, ".", "-" or "_", and start with a letter or digit.';
  throw new DropError('invalid_arg', message, { field: 'name' });
}
