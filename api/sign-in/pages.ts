import type { Request, Response } from 'express';
import { type Identity, localIdentity } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { IdentityProvider } from '../../shared/sign-ins/identity-provider.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import type { PageParts } from '../html/layout.ts';
import { isNavigation } from '../http/answer-error.ts';
import { visitorOf } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { type Form, orAgain, type Shown, show } from '../http/show.ts';
import { type Approver, createSignInCookie, type SignInProgress, type Steps } from './cookie.ts';
import { type LocalForm, localPage, newAccountPage, problemPage, providerPage } from './views.ts';

type Answered = Promise<Shown> | Shown;

const formTokenLength = 43; // 256 bits

export type SignInPages = ReturnType<typeof signInPages>;

/** Makes the routes of the sign-in pages. No cache stores any of them. */
export function signInPages({ services, readForm, layout }: RouteParts) {
  async function answer(res: Response, read: () => Answered): Promise<void> {
    res.setHeader('Cache-Control', 'no-store');
    show(res, await read(), (page) => layout.page({ ...page, styles: ['sign-in'] }));
  }

  const cookie = createSignInCookie(services);

  return {
    cookie,

    /** The page that leads to the identity provider. @param then what the person does after that */
    async visit(
      res: Response,
      provider: IdentityProvider,
      target: Omit<Steps['visit'], 'visit'>,
      then: string,
    ): Promise<PageParts> {
      const { url, visit } = await provider.begin(services.config.BASE_URL + signInPaths.callback);
      await cookie.write(res, 'visit', { ...target, visit });
      return providerPage(provider.name, url, then);
    },

    /** @param countsAs of the approver's account @returns the path of the approval page @throws DropError `rate_limited` */
    async askApprover(
      res: Response,
      { signInId, code, expiresAt }: SignInProgress,
      approver: Approver,
      countsAs: string,
    ): Promise<string> {
      await services.limits.take(limitTable.signInOfAccount, countsAs);
      const formToken = randomBase62(formTokenLength);
      await cookie.write(res, 'decide', { signInId, code, expiresAt, ...approver, formToken });
      return signInPaths.approve;
    },

    page(path: string, read: (req: Request, res: Response) => Answered): Route {
      return open('GET', path, (req, res) => answer(res, () => read(req, res)));
    },

    form(
      path: string,
      save: (req: Request, res: Response, form: Form) => Answered,
      maxBytes?: number,
    ): Route {
      return open('POST', path, (req, res) =>
        answer(res, async () => save(req, res, await readForm(req, maxBytes))),
      );
    },
  };
}

/** An error after which the user can only start again. */
interface Problem {
  readonly error: DropError;
  readonly title: string;
  /** Absent: the user enters a code again. */
  readonly retry?: { readonly href: string; readonly text: string };
}

/** @throws the error itself for a program, which gets the envelope alone */
export function problem(req: Request, { error, title, retry }: Problem): PageParts {
  if (!isNavigation(req)) throw error;
  return problemPage(title, error, retry ?? { href: signInPaths.code, text: 'Enter a code' });
}

/** The browser has no cookie for this step, or the sign-in has expired and the cookie with it. */
export function noSignInInProgress(): Problem {
  const message =
    'This browser has no sign-in in progress. The sign-in may have expired, or the browser may block cookies. Enter the code again.';
  return { error: new DropError('invalid_arg', message), title: 'No sign-in in progress' };
}

export function signInEnded(): Problem {
  const message =
    'This sign-in has expired, or it was already approved or denied. Start again on your device to get a new code.';
  return { error: new DropError('not_found', message), title: 'Sign-in ended' };
}

/** How long a person may think about a new name. */
const newNameMs = 10 * 60_000;

type Finish = (identity: Identity) => Promise<Shown>;

/** @returns what signs a person in with a name and the sign-in key. A name that no account has is asked about, after the key. */
export function createLocalSignIn({ limits, signIns, sealer, clock, signInKey }: Services) {
  const purpose = 'new account';

  /** @throws DropError `forbidden` for a wrong key, `rate_limited` */
  async function checkKey(req: Request, key: string): Promise<void> {
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

  /** Whether the person was asked about this name, after the right key. */
  async function isAnswered({ name }: Identity, form: Form): Promise<boolean> {
    const asked = (await sealer.open(purpose, form.get('proof') ?? '')) as { readonly name: string } | null; // proof: sealed below
    return asked?.name === name;
  }

  return (req: Request, sent: Form, form: LocalForm, finish: Finish): Promise<Shown> => {
    const typed = sent.get('name') ?? '';
    const signIn = async () => {
      if (sent.get('answer') === 'other') return localPage(form, typed);
      const identity = readName(typed);
      if (await isAnswered(identity, sent)) return finish(identity);
      await checkKey(req, (sent.get('key') ?? '').trim());
      if (await signIns.hasAccount(identity)) return finish(identity);
      const { name } = identity;
      const proof = await sealer.seal(purpose, { name }, clock.now() + newNameMs);
      return newAccountPage(form, name, proof);
    };
    return orAgain(req, signIn, (error) => localPage(form, typed, error));
  };
}

/** @throws DropError `invalid_arg` */
function readName(typed: string): Identity {
  const identity = localIdentity(typed);
  if (identity !== null) return identity;
  const message =
    'The name must have 1 to 39 letters (a-z), digits, ".", "-" or "_", and start with a letter or digit.';
  throw new DropError('invalid_arg', message, { field: 'name' });
}
