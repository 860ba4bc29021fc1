/** Of documents that are made of Markdown: readable widths, light and dark, and paper. */
export const style = `:root {
  color-scheme: light dark;
  --text: light-dark(#1f2328, #e6e8ea);
  --soft: light-dark(#59636e, #9aa4af);
  --line: light-dark(#d1d9e0, #3d444d);
  --fill: light-dark(#f6f8fa, #161b22);
  --link: light-dark(#0758b8, #6cb0ff);
  --red: light-dark(#a4262c, #ff9a93);
  --blue: light-dark(#0550ae, #85c1ff);
  --green: light-dark(#116329, #8ddb8c);
  --violet: light-dark(#6639ba, #d2a8ff);
}
body { margin: 0; background: light-dark(#fff, #0d1117); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 0.6em; text-wrap: balance; }
h1 { font-size: 2rem; margin-top: 0; }
h2 { font-size: 1.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25em; }
h3 { font-size: 1.2rem; }
a { color: var(--link); }
img, video, svg { max-width: 100%; height: auto; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
blockquote { margin: 1em 0; padding-inline-start: 1em; border-inline-start: 4px solid var(--line); color: var(--soft); }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: var(--fill); border-radius: 6px; }
code { padding: 0.15em 0.35em; }
pre { padding: 1em; overflow: auto; border: 1px solid var(--line); }
pre code { padding: 0; font-size: 1em; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: 0.4em 0.8em; }
th { background: var(--fill); text-align: start; }
li.task-list-item { list-style: none; margin-inline-start: -1.4em; }
.footnotes { color: var(--soft); font-size: 0.9em; }
.hljs-comment, .hljs-quote, .hljs-meta { color: var(--soft); }
.hljs-keyword, .hljs-deletion, .hljs-selector-tag, .hljs-doctag { color: var(--red); }
.hljs-number, .hljs-literal, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-type { color: var(--blue); }
.hljs-string, .hljs-addition, .hljs-regexp, .hljs-name { color: var(--green); }
.hljs-title, .hljs-section, .hljs-built_in, .hljs-symbol { color: var(--violet); }
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  pre, blockquote, table, img { break-inside: avoid; }
  pre { white-space: pre-wrap; }
}
`;
