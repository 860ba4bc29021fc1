/**
 * What browser/forms.ts tells other scripts, by events that bubble: of the form before the browser goes where it leads (`sent`), or if the
 * page stays (`refused`), and of the document when the answer has taken the place of `main` (`shown`).
 */
export const formEvents = {
  sent: 'dropleaf:sent',
  refused: 'dropleaf:refused',
  shown: 'dropleaf:shown',
} as const;

/** Prepares what is in `main`, now and whenever an answer takes its place. */
export function onMain(prepare: () => void): void {
  prepare();
  document.addEventListener(formEvents.shown, prepare);
}
