/** The viewer's own rules, after the shared ones. A constant, for the reason that style.ts gives. */
export const viewerStyle = `
html { height: 100%; }
body { height: 100vh; height: 100dvh; min-height: 0; padding: 0; overflow: hidden; background: var(--surface); }
.bar { position: relative; z-index: 1; flex: none; display: flex; align-items: center; gap: .75rem; width: 100%; min-height: 2.5rem; padding: 0 .875rem; border-bottom: 1px solid var(--line); background: var(--surface); font-size: .875rem; line-height: 1.4; }
.bar h1 { flex: 1 1 auto; min-width: 0; margin: 0; overflow: hidden; font-size: .9375rem; line-height: 1.4; font-weight: 600; letter-spacing: 0; white-space: nowrap; text-overflow: ellipsis; }
.version { flex: none; margin: 0; color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.version.old { padding: .0625rem .625rem; border: 1px solid var(--warn-line); border-radius: 99px; color: var(--warn); background: var(--warn-tint); }
.version.old a { margin-left: .25rem; color: inherit; font-weight: 600; }
main { flex: 1 1 auto; max-width: none; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none; box-shadow: none; }
iframe { display: block; width: 100%; height: 100%; border: 0; background: Canvas; }

.context { flex: none; }
.context summary { display: flex; align-items: center; gap: .375rem; min-height: 2.5rem; padding: 0 .125rem; color: var(--leaf); font-weight: 600; cursor: pointer; list-style: none; user-select: none; }
.context summary::-webkit-details-marker { display: none; }
.context summary::after { content: ""; width: .4375rem; height: .4375rem; margin-top: -.25rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg); }
.context[open] summary::after { margin-top: .25rem; transform: rotate(225deg); }
.context summary:focus-visible { outline-offset: -3px; border-radius: 8px; }
.context section { position: absolute; top: 100%; right: 0; width: min(100%, 34rem); max-height: calc(100vh - 6rem); max-height: calc(100dvh - 6rem); padding: 1rem 1.25rem 1.25rem; overflow: auto; overscroll-behavior: contain; border: 1px solid var(--line); border-width: 0 0 1px 1px; border-radius: 0 0 0 12px; background: var(--surface); box-shadow: var(--shadow); font-size: .9375rem; }
.context section:focus-visible { outline-offset: -3px; }
.context section > :first-child { margin-top: 0; }
.context section > :last-child { margin-bottom: 0; }
.context :is(h2, h3, h4, h5, h6) { margin: 1.25rem 0 .5rem; font-size: 1rem; line-height: 1.35; }
.context h2 { font-size: 1.125rem; }
.context :is(ul, ol) { margin: 0 0 1rem; padding-left: 1.5rem; }
.context li > p { margin-bottom: .5rem; }
.context code { padding: .0625rem .25rem; border-radius: 4px; background: var(--tint); font-size: .875em; }
.context pre { margin: 0 0 1rem; padding: .75rem; overflow-x: auto; border-radius: 8px; background: var(--tint); line-height: 1.45; overflow-wrap: normal; }
.context pre code { padding: 0; background: none; }
.context blockquote { margin: 0 0 1rem; padding-left: .875rem; border-left: 3px solid var(--line); color: var(--soft); }
.context table { display: block; width: max-content; max-width: 100%; margin: 0 0 1rem; overflow-x: auto; border-collapse: collapse; }
.context :is(th, td) { padding: .25rem .625rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
.context hr { margin: 1.25rem 0; border: 0; border-top: 1px solid var(--line); }

.report { flex: none; display: flex; align-items: center; gap: .25em; min-height: 2.5rem; color: var(--soft); font-size: .8125rem; white-space: nowrap; }

@media (max-width: 30rem) {
  .bar { gap: .625rem; padding: 0 .75rem; }
  .bar .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .version:not(.old) { font-size: .8125rem; }
  .context section { width: 100%; max-height: 60vh; max-height: 60dvh; border-left: 0; border-radius: 0; }
}
@media (max-height: 26rem) {
  .bar, .context summary, .report { min-height: 2rem; }
}
`;
