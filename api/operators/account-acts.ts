import type { Request } from 'express';
import { splitList } from '../../shared/config/config.ts';
import type { Account } from '../../shared/domain/account.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { type Html, html, visible } from '../html/html.ts';
import { timeTag } from '../html/time.ts';
import type { Session } from '../http/session.ts';
import type { accountNotices } from './account.ts';
import type { Act, ActPage } from './act-handlers.ts';
import { operatorPaths } from './paths.ts';

type Notice = keyof typeof accountNotices;

/** What operators do to an account. */
export function accountActs({ moderation, config }: Pick<Services, 'moderation' | 'config'>) {
  const operators = splitList(config.OPERATORS);

  async function find(req: Request): Promise<Account | null> {
    const { id } = req.params;
    return typeof id === 'string' ? moderation.findAccount(id) : null;
  }

  /** An act whose page needs the account alone. @param perform does it */
  function act(
    describe: (account: Account, session: Session) => Omit<ActPage, 'crumbs' | 'back' | 'readers'>,
    perform: (account: Account, operator: Parameters<Act['perform']>[1]) => Promise<Notice>,
  ): Act {
    return {
      target: 'account',
      async describe(req, session) {
        const account = await find(req);
        if (account === null) return null;
        return {
          ...describe(account, session),
          crumbs: crumbs(account),
          readers: 'the log',
          back: operatorPaths.account(account.id),
        };
      },
      async perform(req, operator) {
        const account = await find(req);
        if (account === null) throw notFound('account');
        return perform(account, operator);
      },
    };
  }

  return {
    suspend: act(
      (account, { caller }) => ({
        title: 'Suspend this account?',
        body: html`${about(account)}
<p>The account becomes read-only: with all its tokens and sessions, existing or new, it can read, revoke tokens and end sessions, and nothing else. Its pages stay online; take them down one by one.</p>
${operators.includes(account.id) && html`<p class="notice warn">This is the account of an operator. While it is suspended, these pages do not exist for it.</p>`}`,
        button: 'Suspend',
        isDangerous: true,
        refusal: suspensionRefusal(account, account.id === caller.accountId),
        seen: stateOf(account),
      }),
      async (account, operator) => {
        await moderation.suspend(account, operator);
        return 'suspended';
      },
    ),

    unsuspend: act(
      (account) => ({
        title: 'End the suspension of this account?',
        body: html`${about(account)}
${account.suspendedAt !== null && html`<p>It is suspended since ${timeTag(account.suspendedAt)}.</p>`}`,
        button: 'End the suspension',
        isDangerous: false,
        refusal: account.suspendedAt === null ? 'The account is not suspended' : null,
        seen: stateOf(account),
      }),
      async (account, operator) => {
        await moderation.unsuspend(account, operator);
        return 'unsuspended';
      },
    ),

    revoke: act(
      (account, { caller }) => ({
        title: 'Revoke all tokens and end all sessions?',
        body: html`${about(account)}
<p>Programs and browsers of the account are signed out at once, for good. Its owner can sign in again: to prevent changes, suspend the account.</p>
${account.id === caller.accountId && html`<p class="notice warn">This is your own account: it signs you out of this browser, too.</p>`}`,
        button: 'Revoke and end all',
        isDangerous: true,
        refusal: null,
        seen: '',
      }),
      async (account, operator) => {
        await moderation.revokeTokens(account, operator);
        return 'revoked';
      },
    ),
  };
}

function suspensionRefusal({ suspendedAt }: Account, isOwn: boolean): string | null {
  if (isOwn) return 'You cannot suspend your own account; another operator can';
  return suspendedAt === null ? null : 'The account is suspended already';
}

function about({ id, identity }: Account): Html {
  return html`<p>${visible(identity.name)} <code class="small soft wrap-anywhere">${id}</code></p>`;
}

function crumbs({ id, identity }: Account): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${operatorPaths.find}">Find</a><a class="clip" href="${operatorPaths.account(id)}">${visible(identity.name)}</a></nav>`;
}

function stateOf({ suspendedAt }: Account): string {
  return suspendedAt === null ? 'active' : `suspended ${suspendedAt}`;
}
