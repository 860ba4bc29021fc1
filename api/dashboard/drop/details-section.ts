import type { Drop } from '../../../shared/domain/drop.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { timeTag } from '../../html/time.ts';
import { ownerPath } from '../../http/paths.ts';

/** What the owner has said about a drop, and the way to change it. */
export function detailsSection(drop: Drop): Html {
  const { slug, description, metadata, locked, createdAt, updatedAt, expiresAt } = drop;
  const canChange = drop.takedown === null;
  return html`<section class="panel" aria-labelledby="details-title">
<h2 id="details-title">Details</h2>
<dl class="facts plain">
${fact('Description', description === null ? none('None') : html`<span class="description">${visible(description)}</span>`)}
${fact('Tags', metadata.size === 0 ? none('None') : tagList(metadata))}
${fact('Passcode', locked ? 'Viewers must enter it' : none('None: everybody with the link can read the page'))}
${fact('Expires', expiresAt === null ? none('Never') : timeTag(expiresAt))}
${fact('Created', timeTag(createdAt))}
${fact('Changed', timeTag(updatedAt))}
</dl>
${
  canChange &&
  html`<div class="actions"><a class="button quiet small" href="${ownerPath(slug)}/edit">Edit details</a>
<a class="button quiet small" href="${ownerPath(slug)}/passcode">${locked ? 'Change the passcode' : 'Set a passcode'}</a></div>`
}
</section>`;
}

function fact(name: string, value: Html | string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function none(text: string): Html {
  return html`<span class="soft">${text}</span>`;
}

/** Each tag leads to the list of the drops that have it. */
function tagList(metadata: Drop['metadata']): Html {
  return html`<ul class="tags">${[...metadata].map(
    ([key, value]) =>
      html`<li><a class="tag" href="/drops?${String(new URLSearchParams([[`metadata.${key}`, value]]))}"><span>${visible(key)}: ${visible(value)}</span></a></li>`,
  )}</ul>`;
}
