/** What only the pages of the sign-in need. */
export const signInStyle = `
.code-field { min-height: 3.5rem; text-align: center; text-transform: uppercase; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 1.5rem; letter-spacing: .12em; }
.code-field::placeholder { opacity: .6; }
.after { margin-top: 1.25rem; }
.facts .code { font-size: 1.125rem; letter-spacing: .08em; }
.facts dd { overflow: clip; }
.facts time { display: block; color: var(--soft); font-size: .875rem; }
.hint code { white-space: nowrap; }
.unseen { padding: 0 .25em; border: 1px solid currentColor; border-radius: 4px; color: var(--bad); font-size: .75em; white-space: nowrap; }
.mark { display: block; width: 3rem; height: 3rem; padding: .75rem; margin-bottom: 1rem; border-radius: 50%; }
.mark.good { color: var(--leaf); background: var(--tint); }
.mark.bad { color: var(--bad); background: var(--bad-tint); }
`;
