/** Around Redoc, and over it where its theme has no word for a colour. Left column and middle; the right is always dark. */
export const docsStyle = `
:root { color-scheme: light dark; --ground: #fff; --surface: #f4f6f2; --ink: #1a211c; --soft: #56615a; --line: #dde3da; --leaf: #1d6b41; --bad: #a3242b; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1210; --surface: #171c19; --ink: #e7ece8; --soft: #a4afa8; --line: #2a322d; --leaf: #6fcf97; --bad: #ff9c9c; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
noscript { display: block; padding: 2rem; }
#docs .api-content h5, #docs .api-content caption { color: var(--soft); opacity: 1; }
#docs .api-content h5 span, #docs .api-content caption span { color: inherit; opacity: 1; }
#docs .api-content table tr { background-color: transparent; border-color: var(--line); }
#docs .api-content table th { background-color: transparent; color: var(--ink); border-color: var(--line); }
#docs .api-content table td { background-color: transparent; border-color: var(--line); }
#docs .api-content span + div > button { background-color: var(--surface); color: var(--leaf); border-color: var(--leaf); }
#docs .api-content [role="tab"][aria-selected="true"] { color: #14301f; }
`;
