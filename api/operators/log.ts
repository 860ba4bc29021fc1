import { type Act, type AuditEntry, actTargets } from '../../shared/moderation/act.ts';
import { timeTag } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import { queryOf } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';

const entriesAtOnce = 50;
const entryIdPattern = /^[0-9a-f]{32}$/;

/** GET /operators/log: what operators did here and with commands, newest first. */
export function logRoute(parts: RouteParts): Route {
  const { audit, config } = parts.services;
  return operatorPages(parts).page(operatorPaths.log, async (req) => {
    const { before } = queryOf(req);
    const from = typeof before === 'string' && entryIdPattern.test(before) ? before : null;
    const found = await audit.list(from, entriesAtOnce + 1);
    const shown = found.slice(0, entriesAtOnce);
    const older = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    const isNewest = from === null;
    return {
      tab: 'log',
      title: 'Log',
      body: html`<div class="page-head"><div><h1>Log</h1>
<p class="soft">What operators did, here and with commands, newest first. ${keptText(config.AUDIT_KEEP_DAYS)}</p></div></div>
${shown.length === 0 ? html`<section class="empty"><h2>No entries</h2><p>Nothing was done${!isNewest && ' before'}.</p></section>` : list(shown)}
${
  (older !== null || !isNewest) &&
  html`<nav class="pagination" aria-label="Pages">${!isNewest && html`<a class="button quiet small" href="${operatorPaths.log}">Newest</a>`}${older !== null && html`<a class="button quiet small" rel="next" href="${operatorPaths.log}?before=${older}">Older</a>`}</nav>`
}`,
    };
  });
}

function keptText(days: string): string {
  return days === ''
    ? 'Nothing changes or removes an entry.'
    : `Nothing changes an entry, and each is removed after ${days} days.`;
}

function list(entries: readonly AuditEntry[]): Html {
  return html`<section class="panel" aria-label="Entries"><ol class="rows entries">${entries.map(entryItem)}</ol></section>`;
}

function entryItem({ at, act, target, by, reason, outcome }: AuditEntry): Html {
  const end =
    outcome === null ? html`<span class="badge warn">Interrupted or running</span>` : visible(outcome);
  return html`<li>
<p><span class="strong">${act}</span> <span class="wrap-anywhere">${targetOf(act, target)}</span></p>
${reason !== null && html`<p class="small wrap-anywhere">${visible(reason)}</p>`}
<p class="meta"><span>${timeTag(at)}</span><span class="wrap-anywhere">by ${personOf(by)}</span><span class="wrap-anywhere">${end}</span></p>
</li>
`;
}

function targetOf(act: Act, target: string): Html {
  if (actTargets[act] === 'account') return personOf(target);
  if (actTargets[act] === 'text') return visible(target);
  const [slug = '', ...rest] = target.split(' ');
  return html`<a href="${operatorPaths.page(slug)}">${slug}</a> ${rest.join(' ')}`;
}

/** An account as `0198f… octocat`, with a link, or the name that a command was given. */
function personOf(text: string): Html {
  const [, id, name] = /^([0-9a-f]{32}) (.*)$/s.exec(text) ?? [];
  if (id === undefined || name === undefined) return visible(text);
  return html`<a href="${operatorPaths.account(id)}">${visible(name)}</a>`;
}
