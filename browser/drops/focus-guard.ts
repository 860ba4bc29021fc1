/**
 * Gives the focus back to where it was when a page takes it: browsers allow that to frames, also to inert ones.
 * @param frames those that may not have it @param taken gets the frame
 */
export function guardFocus(frames: string, taken: (frame: Element) => void): void {
  let last: HTMLElement | null = null;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && !target.matches(frames)) last = target;
  });
  document.addEventListener('focusout', () =>
    setTimeout(() => {
      if (document.activeElement === document.body) last = null;
    }),
  );
  // While the event is sent the focus cannot be moved.
  window.addEventListener('blur', () => setTimeout(giveBack));

  function giveBack(): void {
    const { activeElement: frame } = document;
    if (!(frame instanceof HTMLElement) || !frame.matches(frames)) return;
    frame.blur();
    window.focus();
    last?.focus({ preventScroll: true });
    taken(frame);
  }
}
