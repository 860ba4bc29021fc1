/**
 * The style sheet that all our pages share. A constant and not a file: each page contains it, and the page's
 * Content-Security-Policy contains its hash.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f6f2;
  --surface: #fff;
  --line: #dde3da;
  --field: #8a948c;
  --ink: #1a211c;
  --soft: #56615a;
  --leaf: #1d6b41;
  --leaf-deep: #155433;
  --on-leaf: #fff;
  --tint: #e8f2eb;
  --warn: #7a4b00;
  --warn-tint: #fdf3dd;
  --warn-line: #ecd6a2;
  --bad: #a3242b;
  --bad-tint: #fdecec;
  --bad-line: #f0c4c5;
  --shadow: 0 1px 2px rgb(20 40 28 / 6%), 0 12px 32px -12px rgb(20 40 28 / 14%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1210;
    --surface: #171c19;
    --line: #2a322d;
    --field: #6f7b73;
    --ink: #e7ece8;
    --soft: #a4afa8;
    --leaf: #6fcf97;
    --leaf-deep: #8bdcac;
    --on-leaf: #08150d;
    --tint: #1a2a20;
    --warn: #f0c773;
    --warn-tint: #2a2313;
    --warn-line: #4a3d1d;
    --bad: #ff9c9c;
    --bad-tint: #2e1819;
    --bad-line: #562a2c;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 16px 40px -16px rgb(0 0 0 / 60%);
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  align-items: center;
  padding: clamp(1.25rem, 5vh, 4rem) 1rem 2rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
.brand { display: inline-flex; align-items: center; gap: .5rem; color: var(--ink); font-size: 1.125rem; font-weight: 650; letter-spacing: -.01em; }
.brand svg { width: 1.625rem; height: 1.625rem; color: var(--leaf); flex: none; }
.masthead { width: 100%; max-width: 27rem; margin-bottom: 1.25rem; }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: 16px; box-shadow: var(--shadow); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; font-weight: 680; letter-spacing: -.02em; text-wrap: balance; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; line-height: 1.35; font-weight: 650; letter-spacing: -.01em; }
p { margin: 0 0 1rem; }
main > :last-child, form > :last-child { margin-bottom: 0; }
.soft { color: var(--soft); }
.small { font-size: .875rem; line-height: 1.5; }
a { color: var(--leaf); text-underline-offset: .15em; }
a:hover { color: var(--leaf-deep); }
code, .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; overflow-x: auto; font-size: .8125rem; line-height: 1.6; background: var(--ground); border: 1px solid var(--line); border-radius: 10px; }
:focus-visible { outline: 3px solid var(--leaf); outline-offset: 2px; }

form { margin: 1.5rem 0 0; }
label { display: block; margin-bottom: .375rem; font-size: .875rem; font-weight: 600; }
input { display: block; width: 100%; min-height: 2.875rem; margin-bottom: 1rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 10px; }
input:focus-visible { outline-offset: 0; border-color: transparent; }
input::placeholder { color: var(--soft); opacity: .75; }
input[aria-invalid="true"] { border-color: var(--bad); }
.hint { margin: -.625rem 0 1rem; color: var(--soft); font-size: .8125rem; }
button, .button { display: block; width: 100%; min-height: 2.875rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-leaf); background: var(--leaf); border: 1px solid transparent; border-radius: 10px; cursor: pointer; }
button:hover, .button:hover { color: var(--on-leaf); background: var(--leaf-deep); }
button.quiet, .button.quiet { color: var(--ink); background: transparent; border-color: var(--field); }
button.quiet:hover, .button.quiet:hover { color: var(--ink); background: var(--ground); }
.choices { display: flex; flex-wrap: wrap; gap: .75rem; }
.choices > * { flex: 1 1 8rem; width: auto; margin: 0; }

.notice { margin: 0 0 1.25rem; padding: .75rem 1rem; font-size: .9375rem; line-height: 1.5; border: 1px solid var(--line); border-radius: 10px; background: var(--tint); }
.notice.warn { color: var(--warn); background: var(--warn-tint); border-color: var(--warn-line); }
.notice.bad { color: var(--bad); background: var(--bad-tint); border-color: var(--bad-line); }
.notice :last-child { margin-bottom: 0; }
.facts { margin: 0 0 1.25rem; border-top: 1px solid var(--line); }
.facts > div { display: grid; grid-template-columns: 7rem 1fr; gap: .25rem 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); font-size: .875rem; line-height: 1.6; }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }

@media (max-width: 30rem) {
  body { padding-inline: .75rem; }
  .masthead { padding-inline: .5rem; margin-bottom: .875rem; }
  main { padding: 1.5rem 1.25rem; }
  .facts > div { grid-template-columns: 1fr; gap: 0; }
}
@media (forced-colors: active) {
  main, button, .button, .notice { border-color: CanvasText; }
}
`;
