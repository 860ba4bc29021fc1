import type { AskingPerson } from '../../shared/access-requests/access-requests.ts';
import { timeAgo } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import { ownerPath, requestsPath } from '../http/paths.ts';

/** The people who ask an owner for access, with the two answers. @param fields the hidden ones; null: the account may not answer */
export function askingSection(asking: readonly AskingPerson[], fields: Html | null): Html | null {
  if (asking.length === 0) return null;
  return html`<section class="panel reading" id="asking" aria-labelledby="asking-title"><h2 id="asking-title">Asks for access</h2>
<ul class="rows">
${asking.map((person) => row(person, fields))}</ul></section>
`;
}

function row({ slug, title, accountId, name, address, askedAt }: AskingPerson, fields: Html | null): Html {
  const who = html`<span class="visually-hidden"> ${visible(name)}, ${visible(address)}</span>`;
  const form = html`<form method="post" action="${requestsPath}" class="actions">${fields}<input type="hidden" name="slug" value="${slug}"><input type="hidden" name="account" value="${accountId}"><input type="hidden" name="address" value="${address}">
<button class="small" name="act" value="allow">Allow${who}</button><button class="quiet small" name="act" value="decline">Decline${who}</button></form>`;
  return html`<li><p class="wrap-anywhere"><strong>${visible(address)}</strong> (${visible(name)}) asks to read <a href="${ownerPath(slug)}">${visible(title)}</a> <span class="soft small">${timeAgo(askedAt)}</span></p>
${fields !== null && form}</li>
`;
}
