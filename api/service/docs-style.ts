/** Rules of the API reference, after the shared ones: a contents column beside the text where the window is wide. */
export const docsStyle = `
.masthead, main { max-width: 72rem; }
main { display: grid; gap: 2rem; }
article, nav { min-width: 0; }
nav { font-size: .875rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .875rem; }
nav h2:first-child { margin-top: 0; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .25rem 0; }
article h2 { margin-top: 3rem; font-size: 1.375rem; }
article h3 { margin: 0 0 .5rem; font-size: 1.125rem; }
h4 { margin: 1.25rem 0 .25rem; font-size: .875rem; }
section { padding: 1.5rem 0; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
.route code { font-size: 1rem; }
.fields { margin: 0 0 1rem; }
.fields > div { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields > div:first-child { border-top: 0; }
.fields dd { margin: 0; }
.fields dd .fields { margin: .25rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.fields dt .soft { font-size: .875rem; }
code { font-size: .875em; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { font-size: inherit; }
table { width: 100%; margin: 0 0 1rem; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
@media (min-width: 40rem) {
  td code { white-space: nowrap; }
}
@media (min-width: 60rem) {
  main { grid-template-columns: 14rem minmax(0, 1fr); }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
}
`;
