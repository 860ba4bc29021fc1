import type { Account } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Comment } from '../comments/comment.ts';
import type { CommentStore } from '../comments/comment-store.ts';
import type { CredentialPosition, SessionStore, TokenStore } from '../credentials/credential-stores.ts';
import {
  hashToken,
  maskTokens,
  type Token,
  tokenIdOf,
  tokenIdPattern,
  tokenIn,
} from '../credentials/token.ts';
import { tokensCounted } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import { slugPattern } from '../domain/ids.ts';
import type { Drop, OwnedVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { EdgeResult, SideEffects } from '../drops/side-effects.ts';
import type { Identities, KnownIdentity } from '../identities/identities.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { inParts } from '../util/in-parts.ts';
import type { Audit } from './audit.ts';
import type { ModerationStore } from './moderation-store.ts';

/** Number of an account's drops that are returned at once. */
export const dropsAtOnce = 20;
const tokensAtOnce = 20;
const revokedAtOnce = 50;

/** The operator and the reason for an act. */
export interface Operator {
  readonly by: string;
  /** null: not given. */
  readonly reason: string | null;
}

/** The result of a takedown or a restore. */
export interface ChangedPage {
  readonly drop: Drop;
  /** Before the act. */
  readonly before: Drop;
  readonly edge: EdgeResult;
}

/** An account with its ways to sign in, tokens and drops. */
export interface AccountSummary {
  readonly account: Account;
  readonly identities: readonly KnownIdentity[];
  /** At most `tokensAtOnce`, newest first. */
  readonly tokens: readonly Token[];
  /** Where the next ones begin; null: there are none. */
  readonly nextTokens: CredentialPosition | null;
  /** Active ones; `tokensCounted`: as many or more. */
  readonly tokenCount: number;
  /** At most `dropsAtOnce`, newest first. */
  readonly drops: readonly Drop[];
  readonly dropCount: number;
}

/** A page with the account that owns it; null: its record is gone. */
export interface OwnedPage {
  readonly drop: Drop;
  readonly owner: Account | null;
}

/** Result of `find`. The account of a drop or token is null if its record is gone. */
export interface Findings {
  readonly drop: OwnedPage | null;
  readonly token: { readonly token: Token; readonly account: Account | null } | null;
  readonly accounts: readonly AccountSummary[];
}

interface Deps {
  readonly moderation: ModerationStore;
  readonly drops: Pick<DropStore, 'list' | 'listVersions'>;
  readonly comments: Pick<CommentStore, 'find' | 'remove'>;
  readonly accounts: AccountStore;
  readonly identities: Pick<Identities, 'list'>;
  readonly tokens: TokenStore;
  readonly sessions: Pick<SessionStore, 'revokeSome'>;
  readonly signIns: Pick<SignInStore, 'expireByAccount'>;
  readonly audit: Audit;
  readonly sideEffects: SideEffects;
  readonly clock: Clock;
}

/** Acts of operators against abuse. Each act is in the audit log before it is done, and may be repeated. */
export class Moderation {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** If the page is offline, its reason is replaced and the edge is purged again. @throws DropError `not_found` */
  async takeDown(slug: string, { by, reason }: Operator & { readonly reason: string }): Promise<ChangedPage> {
    const { moderation, sideEffects, audit, clock } = this.#deps;
    const before = await this.#findPage(slug);
    const entry = { act: 'takedown', by, target: slug, reason } as const;
    const takedown = { at: clock.now(), reason };
    const change = () => moderation.takeDown(slug, takedown, sideEffects.tasksOfOperator);
    return audit.record(entry, () => this.#changePage(before, change), pageOutcome);
  }

  /** Puts the page online again and purges the edge. @throws DropError `not_found` */
  async restore(slug: string, { by, reason }: Operator): Promise<ChangedPage> {
    const { moderation, sideEffects, audit, clock } = this.#deps;
    const before = await this.#findPage(slug);
    const entry = { act: 'restore', by, target: slug, reason } as const;
    const change = () => moderation.restore(slug, clock.now(), sideEffects.tasksOfOperator);
    return audit.record(entry, () => this.#changePage(before, change), pageOutcome);
  }

  /** Not logged. null: no such comment. */
  findComment(id: string): Promise<Comment | null> {
    return this.#deps.comments.find(id);
  }

  /** With its replies. @returns false: it was deleted already */
  deleteComment({ id, slug }: Comment, { by, reason }: Operator): Promise<boolean> {
    const { comments, audit } = this.#deps;
    const entry = { act: 'delete-comment', by, target: `${slug} ${id}`, reason } as const;
    const describe = (isDone: boolean) => (isDone ? 'deleted' : 'it was deleted already');
    return audit.record(entry, () => comments.remove(id), describe);
  }

  /** The accounts with that id or name: several if two providers have the name. */
  async findAccounts(user: string): Promise<Account[]> {
    const { accounts } = this.#deps;
    const byId = await accounts.find(user);
    return byId === null ? accounts.findByName(user) : [byId];
  }

  /** Makes the account read-only, with every token it has or will have. */
  suspend(account: Account, { by, reason }: Operator): Promise<{ isNew: boolean }> {
    const { audit, clock } = this.#deps;
    const entry = { act: 'suspend', by, target: nameOf(account), reason } as const;
    return audit.record(entry, () => this.#setSuspended(account, clock.now()), accountOutcome);
  }

  unsuspend(account: Account, { by, reason }: Operator): Promise<{ isNew: boolean }> {
    const entry = { act: 'unsuspend', by, target: nameOf(account), reason } as const;
    return this.#deps.audit.record(entry, () => this.#setSuspended(account, null), accountOutcome);
  }

  /** Revokes sign-ins before tokens: see the poll in sign-ins.ts. @returns counts; of sign-ins those without a token */
  revokeTokens(account: Account, { by, reason }: Operator) {
    const { signIns, tokens, sessions, audit } = this.#deps;
    const revokeAll = (store: Pick<SessionStore, 'revokeSome'>) =>
      inParts(revokedAtOnce, (limit) => store.revokeSome(account.id, limit));
    return audit.record(
      { act: 'revoke-tokens', by, target: nameOf(account), reason },
      async () => {
        const expired = await signIns.expireByAccount(account.id);
        const revoked = await revokeAll(tokens);
        return { signIns: expired, tokens: revoked, sessions: await revokeAll(sessions) };
      },
      (done) => `done: tokens ${done.tokens}, sessions ${done.sessions}, sign-ins ${done.signIns}`,
    );
  }

  /** The page with its owner. Not logged. null: no such page. */
  async describePage(slug: string): Promise<OwnedPage | null> {
    const { moderation, accounts } = this.#deps;
    const drop = slugPattern.test(slug) ? await moderation.findDrop(slug) : null;
    return drop === null ? null : { drop, owner: await accounts.find(drop.ownerId) };
  }

  /** Newest first. Not logged. @throws DropError `not_found` */
  async listVersions({ ownerId, slug }: Drop): Promise<OwnedVersion[]> {
    const versions = await this.#deps.drops.listVersions(ownerId, slug);
    if (versions === null) throw notFound('page');
    return versions;
  }

  /** Not logged. null: no such account. */
  findAccount(id: string): Promise<Account | null> {
    return this.#deps.accounts.find(id);
  }

  /** Not logged. null: no such account. @param page of its drops, from 1 @param after where its tokens begin */
  async describeAccount(
    id: string,
    page: number,
    after: CredentialPosition | null,
  ): Promise<AccountSummary | null> {
    const account = await this.#deps.accounts.find(id);
    return account === null ? null : this.#summarize(account, page, after);
  }

  /** Logs that the operator is about to see a version of the page. @throws DropError `not_found` */
  inspect(slug: string, version: number, { by }: Pick<Operator, 'by'>): Promise<Drop> {
    const entry = { act: 'look', by, target: `${slug} version ${version}`, reason: null } as const;
    const describe = () => 'shown';
    return this.#deps.audit.record(entry, () => this.#findPage(slug), describe);
  }

  /** Finds by slug, account id, name, token id or token; a token is logged by its id. @param text may be a whole header */
  find(text: string, { by }: Pick<Operator, 'by'>): Promise<Findings> {
    const token = tokenIn(text);
    const what = token === null ? text : tokenIdOf(hashToken(token));
    const entry = { act: 'find', by, target: maskTokens(what), reason: null } as const;
    return this.#deps.audit.record(entry, () => this.#findAll(what), findOutcome);
  }

  async #findAll(what: string): Promise<Findings> {
    const drop = await this.describePage(what);
    const token = await this.#findTokenById(what);
    const accounts = await this.findAccounts(what);
    return { drop, token, accounts: await Promise.all(accounts.map((account) => this.#summarize(account))) };
  }

  async #findPage(slug: string): Promise<Drop> {
    const drop = await this.#deps.moderation.findDrop(slug);
    if (drop === null) throw notFound('page');
    return drop;
  }

  async #findTokenById(what: string): Promise<Findings['token']> {
    const { tokens, accounts } = this.#deps;
    const token = tokenIdPattern.test(what) ? await tokens.find(what) : null;
    return token === null ? null : { token, account: await accounts.find(token.accountId) };
  }

  /** @param change returns null if the drop was deleted meanwhile */
  async #changePage(before: Drop, change: () => Promise<Drop | null>): Promise<ChangedPage> {
    const drop = await change();
    if (drop === null) throw notFound('page');
    return { drop, before, edge: await this.#deps.sideEffects.afterOperatorChange(drop) };
  }

  async #setSuspended(account: Account, at: number | null): Promise<{ isNew: boolean }> {
    const wasSuspended = account.suspendedAt !== null;
    if ((await this.#deps.accounts.setSuspended(account.id, at)) === null) throw notFound('account');
    return { isNew: wasSuspended !== (at !== null) };
  }

  /** @param page of its drops, from 1 @param after where its tokens begin; null: with the newest */
  async #summarize(
    account: Account,
    page = 1,
    after: CredentialPosition | null = null,
  ): Promise<AccountSummary> {
    const { identities, tokens, drops, clock } = this.#deps;
    const newest = { page, pageSize: dropsAtOnce, sortBy: 'created_at', sortOrder: 'desc' } as const;
    const [known, found, tokenCount, listed] = await Promise.all([
      identities.list(account),
      tokens.list(account.id, tokensAtOnce + 1, after),
      tokens.countActive(account.id, clock.now(), tokensCounted),
      drops.list(account.id, { ...newest, metadata: [] }),
    ]);
    const shown = found.slice(0, tokensAtOnce);
    return {
      account,
      identities: known,
      tokens: shown,
      nextTokens: found.length > shown.length ? (shown.at(-1) ?? null) : null,
      tokenCount,
      drops: listed.drops,
      dropCount: listed.total,
    };
  }
}

/** `0198f… octocat`: in the audit log. */
export function nameOf({ id, identity }: Account): string {
  return `${id} ${identity.name}`;
}

function pageOutcome({ drop, before, edge }: ChangedPage): string {
  const isNew = (drop.takedown === null) !== (before.takedown === null);
  const what = isNew ? 'done' : 'no change';
  return edge === 'not confirmed' ? `${what}; the edge did not confirm` : what;
}

function accountOutcome({ isNew }: { isNew: boolean }): string {
  return isNew ? 'done' : 'no change';
}

function findOutcome({ drop, token, accounts }: Findings): string {
  return `found: pages ${Number(drop !== null)}, tokens ${Number(token !== null)}, accounts ${accounts.length}`;
}
