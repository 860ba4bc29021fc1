import type { Request } from 'express';
import type { Account } from '../../shared/accounts/account.ts';
import { splitList } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { type Html, html, visible } from '../html/html.ts';
import { breadcrumb, timeTag } from '../html/parts.ts';
import type { Session } from '../http/session.ts';
import type { ActPage, OperatorAct } from './acts.ts';
import { operatorPaths } from './parts.ts';

/** What the last form has done. */
export const accountNotices = {
  suspended: 'The account is suspended: it can only read. Its pages stay online.',
  unsuspended: 'The suspension has ended.',
  revoked: 'All tokens are revoked, and all sessions have ended.',
} as const;

type Notice = keyof typeof accountNotices;

/** What operators do to an account. */
export function accountActs({ moderation, config }: Pick<Services, 'moderation' | 'config'>) {
  const operators = splitList(config.OPERATORS);

  async function find({ params: { id } }: Request): Promise<Account | null> {
    return typeof id === 'string' ? moderation.findAccount(id) : null;
  }

  /** @param perform does it @param notice of the page that it leads to */
  function onAccount(
    describe: (account: Account, session: Session) => Omit<ActPage, 'crumbs' | 'back'>,
    perform: (account: Account, operator: Parameters<OperatorAct['perform']>[1]) => Promise<unknown>,
    notice: Notice,
  ): OperatorAct {
    return {
      target: 'account',
      async describe(req, session) {
        const account = await find(req);
        return account && { ...describe(account, session), ...wayBack(account) };
      },
      async perform(req, operator) {
        const account = await find(req);
        if (account === null) throw notFound('account');
        await perform(account, operator);
        return notice;
      },
    };
  }

  return {
    suspend: onAccount(
      (account, { caller }) => ({
        title: 'Suspend this account?',
        body: html`${about(account)}
<p>The account becomes read-only: with all its tokens and sessions, existing or new, it can read, revoke tokens and end sessions, and nothing else. Its pages stay online; take them down one by one.</p>
${operators.includes(account.id) && html`<p class="notice warn">This is the account of an operator. While it is suspended, these pages do not exist for it.</p>`}`,
        button: 'Suspend',
        isDangerous: true,
        refusal:
          account.id === caller.accountId
            ? 'You cannot suspend your own account; another operator can'
            : account.suspendedAt !== null && 'The account is suspended already',
        seen: stateOf(account),
      }),
      moderation.suspend,
      'suspended',
    ),

    unsuspend: onAccount(
      (account) => ({
        title: 'End the suspension of this account?',
        body: html`${about(account)}
${account.suspendedAt !== null && html`<p>It is suspended since ${timeTag(account.suspendedAt)}.</p>`}`,
        button: 'End the suspension',
        refusal: account.suspendedAt === null && 'The account is not suspended',
        seen: stateOf(account),
      }),
      moderation.unsuspend,
      'unsuspended',
    ),

    revoke: onAccount(
      (account, { caller }) => ({
        title: 'Revoke all tokens and end all sessions?',
        body: html`${about(account)}
<p>Programs and browsers of the account are signed out at once, for good. Its owner can sign in again: to prevent changes, suspend the account.</p>
${account.id === caller.accountId && html`<p class="notice warn">This is your own account: it signs you out of this browser, too.</p>`}`,
        button: 'Revoke and end all',
        isDangerous: true,
        seen: '',
      }),
      moderation.revokeTokens,
      'revoked',
    ),
  };
}

function about({ id, identity }: Account): Html {
  return html`<p>${visible(identity.name)} <code class="small soft wrap-anywhere">${id}</code></p>`;
}

function wayBack({ id, identity }: Account) {
  const path = operatorPaths.account(id);
  return { crumbs: breadcrumb([operatorPaths.find, 'Find'], [path, visible(identity.name)]), back: path };
}

function stateOf({ suspendedAt }: Account): string {
  return suspendedAt === null ? 'active' : `suspended ${suspendedAt}`;
}
