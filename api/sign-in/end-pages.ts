import { type Html, html } from '../html/html.ts';
import type { View } from './view.ts';

export type Outcome = 'approved' | 'denied';

/** The last page: back to the device. */
export function doneView(outcome: Outcome): View {
  return outcome === 'approved'
    ? {
        title: 'Approved',
        body: html`${mark('good', 'm5 12.5 4.5 4.5L19 7.5')}<h1>Approved</h1>
<p>Return to your device: it goes on by itself. You can close this page.</p>`,
      }
    : {
        title: 'Denied',
        body: html`${mark('bad', 'm7 7 10 10M17 7 7 17')}<h1>Denied</h1>
<p>The device gets no access. You can close this page.</p>`,
      };
}

/** A way that leads no further, and where to begin anew. */
export function problemView(parts: {
  title: string;
  message: string;
  next: { href: string; text: string };
}): View {
  const { title, message, next } = parts;
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${message}</p>
<p class="after"><a class="button" href="${next.href}">${next.text}</a></p>`,
  };
}

function mark(kind: 'good' | 'bad', path: string): Html {
  return html`<svg class="mark ${kind}" viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor"
  stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" d="${path}"/></svg>`;
}
