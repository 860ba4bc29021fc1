/**
 * What only the pages of the sign-in need.
 *
 * `.guarded` protects Approve against double-clickjacking: a window of an attacker asks for a double click over this
 * page and closes at the first one, so that the second lands here. A cover lies on the button until the pointer has
 * been over it for 0.8 s, however long the page has been open; where no pointer hovers (touch), until 0.8 s after the
 * page was opened. Keyboards and screen readers do not meet the cover. It is an animation and not a transition, which
 * would not run where the pointer is over the button as the page appears. Rules for reduced motion must spare it.
 */
export const signInStyle = `
.code-field { min-height: 3.5rem; text-align: center; text-transform: uppercase; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 1.5rem; letter-spacing: .12em; }
.code-field::placeholder { opacity: .6; }
.after { margin-top: 1.25rem; }
.facts .code { font-size: 1.125rem; letter-spacing: .08em; }
.facts dd { overflow: clip; }
.facts time { display: block; color: var(--soft); font-size: .875rem; }
.hint code { white-space: nowrap; }
.unseen { padding: 0 .25em; border: 1px solid currentColor; border-radius: 4px; color: var(--bad); font-size: .75em; white-space: nowrap; }
.guarded { position: relative; }
.guarded::after { content: ""; position: absolute; inset: 0; border-radius: 10px; animation: give-way .8s step-end forwards; }
@media (hover: hover) {
  .guarded:not(:hover)::after { animation: none; }
  .guarded:hover::after { cursor: progress; background: color-mix(in srgb, var(--surface) 45%, transparent); }
}
@keyframes give-way { to { visibility: hidden; } }
.mark { display: block; width: 3rem; height: 3rem; padding: .75rem; margin-bottom: 1rem; border-radius: 50%; }
.mark.good { color: var(--leaf); background: var(--tint); }
.mark.bad { color: var(--bad); background: var(--bad-tint); }
`;
