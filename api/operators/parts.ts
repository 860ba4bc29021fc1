import type { Response } from 'express';
import type { Account } from '../../shared/domain/account.ts';
import type { Drop } from '../../shared/domain/drop.ts';
import { type DropError, notFound } from '../../shared/domain/errors.ts';
import { envelopeData } from '../html/error-page.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { Layout, PageParts } from '../html/layout.ts';
import { setStatusAndHeaders } from '../http/answer-error.ts';
import { presentError } from '../http/http-error.ts';
import { sendPage } from '../http/send.ts';
import type { Session } from '../http/session.ts';
import { operatorPaths } from './paths.ts';

export type Tab = 'reports' | 'find' | 'log';

const tabs: readonly (readonly [Tab, text: string])[] = [
  ['reports', 'Reports'],
  ['find', 'Find'],
  ['log', 'Log'],
];

/** A page for operators: the tabs above its body. @param tab null: none is marked */
export interface OperatorPage extends PageParts {
  readonly tab: Tab | null;
}

/** Sends the pages for operators. */
export function createSender(layout: Layout) {
  function send(res: Response, status: number, session: Session, { tab, ...parts }: OperatorPage): void {
    const body = html`${tabBar(tab)}\n${parts.body}`;
    sendPage(res, status, layout.dashboard(session, 'operators', { ...parts, styles: ['operators'], body }));
  }

  /** The page again, with an error above its form. Like every page of an error, it contains the envelope. */
  function sendError(res: Response, error: DropError, session: Session, page: OperatorPage): void {
    const status = setStatusAndHeaders(res, error);
    send(res, status, session, { ...page, head: envelopeData(presentError(error)) });
  }

  return {
    send,
    sendError,

    /** 404: what the address names is gone, perhaps since the operator opened the page that led here. */
    sendGone(res: Response, session: Session, what: Gone): void {
      sendError(res, notFound(what), session, gonePage(what));
    },
  };
}

function tabBar(current: Tab | null): Html {
  return html`<nav class="tabs" aria-label="Operators">${tabs.map(
    ([tab, text]) =>
      html`<a href="${operatorPaths[tab]}"${tab === current && html` aria-current="page"`}>${text}</a>`,
  )}</nav>`;
}

/** What may be gone. */
export type Gone = 'page' | 'version' | 'account' | 'report';

const goneTexts: Readonly<Record<Gone, string>> = {
  page: 'There is no page with this slug. Its owner may have deleted it, or it has expired.',
  version: 'The page does not have this version any more.',
  account: 'There is no account with this id. Its owner may have deleted it.',
  report: 'There is no report with this id. Closed reports are removed after some time.',
};

function gonePage(what: Gone): OperatorPage {
  return {
    tab: null,
    title: `No such ${what}`,
    body: html`<section class="empty"><h1>No such ${what}</h1>
<p>${goneTexts[what]}</p>
<p><a class="button quiet" href="${operatorPaths.reports}">Show the reports</a></p></section>`,
  };
}

/** `octocat` with a link to the account. @param id of the account; its record may be gone */
export function accountLink(id: string, account: Account | null): Html {
  if (account === null) return html`<span class="soft">deleted account</span>`;
  return html`<a href="${operatorPaths.account(id)}">${visible(account.identity.name)}</a>`;
}

/** What an operator must see of a page at once. */
export function pageBadges({ takedown, locked }: Pick<Drop, 'takedown' | 'locked'>): Html {
  return html`${takedown !== null && html`<span class="badge bad">Taken down</span>`}${locked && html`<span class="badge">Locked</span>`}`;
}

/** Of the owner of a page. */
export function suspendedBadge(account: Account | null): Html | null {
  return account === null || account.suspendedAt === null
    ? null
    : html`<span class="badge warn">Account suspended</span>`;
}

/** Of an account that is shown itself. */
export function stateBadge({ suspendedAt }: Account): Html | null {
  return suspendedAt === null ? null : html`<span class="badge bad">Suspended</span>`;
}

/** The way back to a page. */
export function crumbs(slug: string, title: string): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${operatorPaths.reports}">Reports</a><a class="clip" href="${operatorPaths.page(slug)}">${visible(title)}</a></nav>`;
}

export function fact(name: string, value: Html | string | number): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`;
}

/** Text of several lines, from anybody. */
export function visibleLines(text: string): Html {
  return html`${text.split('\n').map((line, i) => html`${i > 0 && html`<br>`}${line !== '' && visible(line)}`)}`;
}
