import type { Account } from '../../shared/accounts/account.ts';
import type { Comment } from '../../shared/comments/comment.ts';
import { tokensCounted } from '../../shared/credentials/tokens.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import { breadcrumb, countOf, numberText, soft } from '../html/elements.ts';
import { type Html, html, visible, visibleLines } from '../html/html.ts';
import { operatorPaths } from './paths.ts';

/** `octocat` with a link to the account. @param id of the account; its record may be gone */
export function accountLink(id: string, found: Account | null): Html {
  if (found === null) return soft('deleted account');
  return html`<a href="${operatorPaths.account(id)}">${visible(found.identity.name)}</a>`;
}

export function pageBadges({ takedown, locked }: Pick<Drop, 'takedown' | 'locked'>): Html {
  return html`${takedown !== null && html`<span class="badge bad">Taken down</span>`}${locked && html`<span class="badge">Locked</span>`}`;
}

export function suspendedBadge(owner: Account | null): Html | null {
  return owner === null || owner.suspendedAt === null
    ? null
    : html`<span class="badge warn">Account suspended</span>`;
}

/** `3 tokens`. @param count up to `tokensCounted` */
export function tokensText(count: number): string {
  return count < tokensCounted ? countOf(count, 'token') : `${numberText(count)} tokens or more`;
}

export function stateBadge({ suspendedAt }: Account): Html | null {
  return suspendedAt === null ? null : html`<span class="badge bad">Suspended</span>`;
}

/** As its readers see it, without a way to anything else. */
export function commentQuote({ author, text, replies }: Comment): Html {
  const message = ({ author: { name, role }, text: words }: Pick<Comment, 'author' | 'text'>) =>
    html`<p class="small"><b>${visible(name)}</b>, ${role}</p><div class="wrap-anywhere">${visibleLines(words)}</div>`;
  return html`<blockquote>${[{ author, text }, ...replies].map(message)}</blockquote>`;
}

export function pageCrumbs(slug: string, title: string): Html {
  return breadcrumb([operatorPaths.reports, 'Reports'], [operatorPaths.page(slug), visible(title)]);
}
