import { join } from 'node:path';

/** The script that stands in pages of drops (api/pages/framing.ts). */
export const framedEntry = 'framed.ts';

/** How esbuild bundles scripts and style sheets of browser/. */
export function browserOptions(root, names) {
  return {
    absWorkingDir: root,
    entryPoints: names.map((name) => join('browser', name)),
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    logLevel: 'warning',
  };
}

/** With the names of browser/framed/captured.ts in place of those that a page may declare. */
export function framedOptions(root) {
  return {
    ...browserOptions(root, [framedEntry]),
    inject: [join('browser', 'framed', 'captured.ts')],
    define: {
      innerHeight: 'visualViewport.height',
      innerWidth: 'visualViewport.width',
      scrollX: 'visualViewport.pageLeft',
      scrollY: 'visualViewport.pageTop',
    },
  };
}
