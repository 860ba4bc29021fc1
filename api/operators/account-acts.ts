import type { Request } from 'express';
import type { Account } from '../../shared/accounts/account.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { breadcrumb, timeTag } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { BrowserSession } from '../http/session.ts';
import { effectOf, noticesOf, type OperatorAct } from './acts.ts';
import { operatorPaths } from './paths.ts';

export const accountNotices = noticesOf('suspend', 'unsuspend', 'revoke-tokens');

type ActServices = Pick<Services, 'moderation' | 'operators'>;

export function suspendAct({ moderation, operators }: ActServices): OperatorAct<Account> {
  return {
    name: 'suspend',
    path: operatorPaths.suspend(':id'),
    find: (req) => findAccount(moderation, req),
    describe: async (account, session) => ({
      ...ofAccount(account),
      body: html`${aboutAccount(account)}
${effectOf('suspend')}
${(await operators.knownAt(account.id)) !== null && html`<p class="notice warn">This is the account of an operator. While it is suspended, these pages do not exist for it.</p>`}`,
      refusal: isOwn(account, session)
        ? 'You cannot suspend your own account; another operator can.'
        : undefined,
      isDone: account.suspendedAt !== null,
      seen: stateOf(account),
    }),
    async perform(account, operator) {
      await moderation.suspend(account, operator);
      return undefined;
    },
  };
}

export function unsuspendAct({ moderation }: ActServices): OperatorAct<Account> {
  return {
    name: 'unsuspend',
    path: operatorPaths.unsuspend(':id'),
    find: (req) => findAccount(moderation, req),
    describe: (account) => ({
      ...ofAccount(account),
      body: html`${aboutAccount(account)}
${account.suspendedAt !== null && html`<p>It is suspended since ${timeTag(account.suspendedAt)}.</p>`}`,
      isDone: account.suspendedAt === null,
      seen: stateOf(account),
    }),
    async perform(account, operator) {
      await moderation.unsuspend(account, operator);
      return undefined;
    },
  };
}

export function revokeTokensAct({ moderation }: ActServices): OperatorAct<Account> {
  return {
    name: 'revoke-tokens',
    path: operatorPaths.revoke(':id'),
    find: (req) => findAccount(moderation, req),
    describe: (account, session) => ({
      ...ofAccount(account),
      body: html`${aboutAccount(account)}
${effectOf('revoke-tokens')}
${isOwn(account, session) && html`<p class="notice warn">This is your own account: it signs you out of this browser, too.</p>`}`,
      seen: '',
    }),
    async perform(account, operator) {
      await moderation.revokeTokens(account, operator);
      return undefined;
    },
  };
}

async function findAccount(
  moderation: Services['moderation'],
  { params: { id } }: Request,
): Promise<Account | null> {
  return typeof id === 'string' ? moderation.findAccount(id) : null;
}

function isOwn({ id }: Account, { caller }: BrowserSession): boolean {
  return id === caller.accountId;
}

function ofAccount({ id, identity }: Account) {
  const back = operatorPaths.account(id);
  return { back, crumbs: breadcrumb([operatorPaths.find, 'Find'], [back, visible(identity.name)]) };
}

function aboutAccount({ id, identity }: Account): Html {
  return html`<p>${visible(identity.name)} <code class="small soft wrap-anywhere">${id}</code></p>`;
}

function stateOf({ suspendedAt }: Account): string {
  return suspendedAt === null ? 'active' : `suspended ${suspendedAt}`;
}
