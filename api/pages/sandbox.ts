/**
 * What a drop may do, in its frame and at its own address: scripts and forms run, with an origin of their own
 * that is nobody's. Never `allow-same-origin` on the service's own host (docs/decisions.md, The raw page).
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

/** The same on a host that is the drop's alone: its origin is that host, so it has storage and cookies there. */
export const sandboxOnOwnHost = `${sandbox} allow-same-origin`;
