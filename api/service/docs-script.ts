/**
 * What runs in the browser on the reference page: fetches the description and has Redoc draw it, in the colours that
 * the person prefers.
 */
export const docsScript = `'use strict';
(async () => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const place = document.getElementById('docs');
  const description = await (await fetch('/openapi.json')).json();

  const fonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
  const code = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';
  function theme(isDark) {
    const c = isDark
      ? { ground: '#0e1210', surface: '#171c19', ink: '#e7ece8', soft: '#a4afa8', leaf: '#6fcf97', line: '#2a322d', bad: '#ff9c9c', good: '#6fcf97' }
      : { ground: '#ffffff', surface: '#f4f6f2', ink: '#1a211c', soft: '#56615a', leaf: '#1d6b41', line: '#dde3da', bad: '#a3242b', good: '#1d6b41' };
    return {
      colors: {
        primary: { main: c.leaf, light: c.leaf },
        success: { main: c.good },
        error: { main: c.bad },
        text: { primary: c.ink, secondary: c.soft },
        border: { dark: c.line, light: c.line },
        responses: {
          success: { color: c.good, backgroundColor: c.surface, tabTextColor: '#8bdcac' },
          error: { color: c.bad, backgroundColor: c.surface, tabTextColor: '#ff9c9c' },
          redirect: { color: c.ink, backgroundColor: c.surface, tabTextColor: '#f0c773' },
          info: { color: c.ink, backgroundColor: c.surface, tabTextColor: '#9cc7ff' },
        },
        http: { get: '#1d6b41', post: '#1f4f9c', put: '#7a3d9c', patch: '#7a4b00', delete: '#a3242b', head: '#56615a', options: '#56615a', link: '#56615a', basic: '#56615a' },
      },
      schema: { nestedBackground: c.surface, linesColor: c.line, typeNameColor: c.soft, typeTitleColor: c.soft, requireLabelColor: c.bad, labelsTextSize: '0.9em' },
      typography: {
        fontFamily: fonts,
        headings: { fontFamily: fonts, fontWeight: '650' },
        code: { fontFamily: code, color: c.ink, backgroundColor: c.surface, wrap: true },
        links: { color: c.leaf, visited: c.leaf, hover: c.leaf, textDecoration: 'underline', hoverTextDecoration: 'underline' },
      },
      sidebar: { backgroundColor: c.surface, textColor: c.ink, activeTextColor: c.leaf },
      rightPanel: { backgroundColor: '#17201b', textColor: '#f4f6f2' },
      codeBlock: { backgroundColor: '#0e1511' },
    };
  }

  // What Redoc draws lacks names and levels that screen readers need.
  function mend() {
    for (const one of place.querySelectorAll('select:not([aria-label])')) one.setAttribute('aria-label', 'Content type');
    for (const one of place.querySelectorAll('pre:not([tabindex])')) one.tabIndex = 0;
    for (const one of place.querySelectorAll('li[role="menuitem"] > ul:not([role])')) one.setAttribute('role', 'menu');
    for (const one of place.querySelectorAll('li[role="menuitem"][aria-label]')) one.removeAttribute('aria-label'); // not all that it says
    for (const one of place.querySelectorAll('h5:not([aria-level])')) {
      one.setAttribute('role', 'heading');
      one.setAttribute('aria-level', '3');
    }
  }
  new MutationObserver(mend).observe(place, { childList: true, subtree: true });

  function draw() {
    const part = document.createElement('div');
    place.replaceChildren(part);
    Redoc.init(
      description,
      { theme: theme(dark.matches), downloadDefinitionUrl: '/openapi.json', hideDownloadButton: false, nativeScrollbars: true, sortRequiredPropsFirst: true, expandResponses: '200,201', hideLoading: true },
      part,
    );
  }
  draw();
  dark.addEventListener('change', draw);
})();
`;
