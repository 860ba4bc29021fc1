import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { DropError } from '../domain/errors.ts';
import type { Page } from '../drops/drop.ts';
import type { Author, Comment, Reply } from './comment.ts';

/** A person in front of a page. */
export interface Person {
  /** null: not signed in. */
  readonly caller: Caller | null;
  /** The name that the account has or a guest typed. */
  readonly name: string;
  /** The hash of the guest's secret; null: the browser has none. */
  readonly guest: string | null;
}

/** The owner of a drop, as a program or in the dashboard. */
export async function findOwner(accounts: Pick<AccountStore, 'find'>, caller: Caller): Promise<Author> {
  const account = await accounts.find(caller.accountId);
  return authorOf(caller, 'owner', account?.identity.name ?? '');
}

/** null: the person may neither read nor write comments on the page. A guest has no secret before the first comment. */
export function findReader(page: Page, { caller, name, guest }: Person): Author | null {
  if (caller?.accountId === page.ownerId) return authorOf(caller, 'owner', name);
  if (page.comments === 'owner') return null;
  if (caller !== null) return authorOf(caller, 'member', name);
  if (page.comments === 'members') return null;
  return { role: 'guest', accountId: null, guest, name, via: null, tokenId: null };
}

/** Held comments are seen by the owner, and in the guest's own browser. */
export function isVisible(comment: Comment, reader: Author): boolean {
  return comment.state !== 'held' || reader.role === 'owner' || isSame(comment.author, reader);
}

/** Whether both are the same account, or the same browser of a guest. */
export function isSame(author: Author, actor: Author): boolean {
  if (author.accountId !== null) return author.accountId === actor.accountId;
  return author.guest !== null && author.guest === actor.guest;
}

/** The owner may resolve, open and approve; who began a thread may resolve and open it. @throws DropError `forbidden` */
export function checkMayResolve(comment: Comment, actor: Author): void {
  if (actor.role === 'owner') return;
  if (comment.state === 'held') throw forbidden('Only the owner of the page can approve a comment');
  if (!isSame(comment.author, actor))
    throw forbidden('Only the owner of the page, and who began the thread, can do that');
}

/** Who wrote it may, and the owner. @throws DropError `forbidden` */
export function checkMayRemove({ author }: Comment | Reply, actor: Author): void {
  if (actor.role !== 'owner' && !isSame(author, actor))
    throw forbidden('Only who wrote it, and the owner of the page, can delete it');
}

/** null: a browser. */
export function callerTokenId({ credential }: Caller): string | null {
  return credential.kind === 'token' ? credential.token.id : null;
}

function authorOf(caller: Caller, role: Author['role'], name: string): Author {
  const { accountId, credential } = caller;
  const via = credential.kind === 'token' ? credential.token.label : null;
  return { role, accountId, guest: null, name, via, tokenId: callerTokenId(caller) };
}

export function forbidden(message: string): DropError {
  return new DropError('forbidden', message);
}
