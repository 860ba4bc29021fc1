/**
 * What a drop may do, in its frame and at its own address: scripts and forms run, with an origin of their own
 * that is nobody's. Never `allow-same-origin` (docs/decisions.md, The raw page).
 */
export const sandbox = [
  'allow-scripts',
  'allow-forms',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-modals',
  'allow-downloads',
  'allow-pointer-lock',
  'allow-presentation',
  'allow-orientation-lock',
  'allow-top-navigation-by-user-activation',
].join(' ');
