import { DropError } from '../../shared/domain/errors.ts';
import { isAllowed } from '../../shared/identities/allowed.ts';
import type { NotedClaims, StoredIdentity } from '../../shared/identities/identity-store.ts';
import {
  type KeptRefreshToken,
  openRefreshToken,
  sealRefreshToken,
} from '../../shared/identities/refresh-tokens.ts';
import type { Job } from '../../shared/jobs/job-catalogue.ts';
import { inChunks } from '../../shared/util/promises.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** What the provider has said within this time is not asked again. */
const afterMs = 15 * 60_000;
const partSize = 20;
/** Requests to the provider. */
const atOnce = 4;
/** The next run continues with those that wait the longest. */
const budgetMs = 4 * 60_000;

type Outcome = 'checked' | 'passed on';

/** A check without an answer. */
interface Failed {
  readonly identity: StoredIdentity;
  readonly begunAt: number;
}

/** Of errors before a request has left this machine. */
const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
type Oidc = NonNullable<WorkerDeps['oidc']>;
/** null: the provider has ended the sign-in. */
type Said = Pick<NotedClaims, 'email' | 'groups' | 'refreshToken'> | null;

type Deps = Pick<WorkerDeps, 'engine' | 'oidc' | 'sealer' | 'accessEnd' | 'clock' | 'log'> & {
  readonly config: Pick<WorkerDeps['config'], 'OIDC_ALLOWED_GROUPS' | 'OIDC_SCOPES'>;
};

/**
 * Asks the OpenID provider again about the people of whom it gave a refresh token, and ends the access of those who may not use the
 * service any more (docs/decisions/identity.md). A provider that is down ends nobody's.
 */
export class IdentityRefresh implements Job<'identity.refresh'> {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { engine, oidc, clock, log } = this.#deps;
    const until = performance.now() + budgetMs;
    const before = clock.now() - afterMs;
    while (performance.now() < until) {
      const due = await engine.identities.listToCheck(before, partSize);
      if (due.length === 0) return;
      const provider = oidc && (await this.#orNull(() => oidc.provider()));
      if (oidc !== null && provider === null) return;
      const outcomes: (Outcome | Failed)[] = [];
      await inChunks(due, atOnce, async (identity) => {
        outcomes.push(await this.#check(oidc, provider, identity));
      });
      const failed = outcomes.filter((outcome) => typeof outcome === 'object');
      if (failed.length === due.length) {
        log.warn({ identities: due.length }, 'the identity provider answers nothing: nobody is signed out');
        return;
      }
      if (outcomes.includes('checked')) await this.#forget(failed);
      if (due.length < partSize) return;
    }
  }

  /** Each note of it is stored only if neither a sign-in nor another process has noted more meanwhile. */
  async #check(
    oidc: Oidc | null,
    provider: string | null,
    identity: StoredIdentity,
  ): Promise<Outcome | Failed> {
    const { identities } = this.#deps.engine;
    const { checkedAt } = identity;
    const kept = await this.#open(provider, identity);
    if (kept === null || oidc === null) {
      await identities.note(identity, { ...identity, refreshToken: null }, checkedAt);
      return 'passed on';
    }
    const begunAt = this.#deps.clock.now();
    const isEnded = kept.state === 'ended';
    const refreshToken = await this.#seal({ ...kept, state: isEnded ? 'ended' : 'in use' });
    if (!(await identities.note(identity, { ...identity, refreshToken, checkedAt: begunAt }, checkedAt)))
      return 'passed on';
    const begun = { ...identity, refreshToken, checkedAt: begunAt };
    if (isEnded) return this.#end(begun, kept, begun);
    const answer = await this.#ask(oidc, kept, identity);
    if (answer === 'unsent')
      await identities.note(identity, { ...begun, refreshToken: await this.#seal(kept) }, begunAt);
    if (answer === 'unsent' || answer === 'failed') return { identity, begunAt };
    if (answer.said === null && (kept.state === 'in use' || !this.#isLasting())) {
      // It may be that the next token was lost, or that the person's session at the provider is over: as if none had been given.
      await identities.note(identity, { ...identity, refreshToken: null }, begunAt);
      return 'checked';
    }
    return this.#note(begun, kept, answer.said);
  }

  /** Whether the provider's tokens outlast the person's session there: then a refusal says that the person may not sign in any more. */
  #isLasting(): boolean {
    return this.#deps.config.OIDC_SCOPES.split(' ').includes('offline_access');
  }

  async #note(begun: StoredIdentity, kept: KeptRefreshToken, said: Said): Promise<Outcome> {
    const { engine, config } = this.#deps;
    const { name, checkedAt } = begun;
    const { refreshToken: next = null, email = null, groups = [] } = said ?? {};
    if (said === null || !isAllowed({ groups }, config))
      return this.#end(begun, kept, { name, email, groups, checkedAt });
    const refreshToken = next && (await this.#seal({ refreshToken: next, state: 'unused' }));
    await engine.identities.note(begun, { name, email, groups, refreshToken, checkedAt }, checkedAt);
    return 'checked';
  }

  /** What is to be done is stored first: if this process is killed, the next check ends the access. */
  async #end(
    { checkedAt: begunAt, ...identity }: StoredIdentity,
    kept: KeptRefreshToken,
    claims: Omit<NotedClaims, 'refreshToken'>,
  ): Promise<Outcome> {
    const { engine, accessEnd, log } = this.#deps;
    const { name, email, groups, checkedAt } = claims;
    const note = (refreshToken: string | null) =>
      engine.identities.note(identity, { name, email, groups, checkedAt, refreshToken }, begunAt);
    if (!(await note(await this.#seal({ ...kept, state: 'ended' })))) return 'passed on'; // signed in meanwhile
    await accessEnd.end(identity.accountId);
    await note(null);
    log.info(
      { accountId: identity.accountId },
      'a person may not use the service any more: signed out everywhere',
    );
    return 'checked';
  }

  /** What others are asked about is answered, so the provider is there: as if it had given no refresh token to these. */
  async #forget(failed: readonly Failed[]): Promise<void> {
    for (const { identity, begunAt } of failed)
      await this.#deps.engine.identities.note(identity, { ...identity, refreshToken: null }, begunAt);
  }

  /** A person whose groups the provider cannot name is in none that is known. `unsent`: the token has not been used. */
  async #ask(
    oidc: Oidc,
    { refreshToken }: KeptRefreshToken,
    { subject, email }: StoredIdentity,
  ): Promise<{ readonly said: Said } | 'failed' | 'unsent'> {
    try {
      return { said: await oidc.refresh(refreshToken, subject) };
    } catch (error) {
      if (error instanceof DropError && error.code === 'forbidden')
        return { said: { email, groups: [], refreshToken: null } };
      const cause = this.#warnIfUnavailable(error);
      return unsentCodes.includes(String(Reflect.get(Object(cause), 'cause'))) ? 'unsent' : 'failed';
    }
  }

  /** null: it is of another provider than people sign in at now, or cannot be opened. */
  async #open(provider: string | null, identity: StoredIdentity): Promise<KeptRefreshToken | null> {
    if (identity.provider !== provider || identity.refreshToken === null) return null;
    return openRefreshToken(this.#deps.sealer, identity.refreshToken);
  }

  #seal(kept: KeptRefreshToken): Promise<string> {
    return sealRefreshToken(this.#deps.sealer, kept, this.#deps.clock.now());
  }

  /** null: the provider did not answer. */
  async #orNull<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      this.#warnIfUnavailable(error);
      return null;
    }
  }

  /** @returns what may be logged of the failure @throws any other error */
  #warnIfUnavailable(error: unknown): unknown {
    if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
    this.#deps.log.warn({ cause: error.cause }, 'the identity provider did not answer a check');
    return error.cause;
  }
}
