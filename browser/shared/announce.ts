let region: HTMLElement | null = null;

/** Lets screen readers say the text, without moving the focus. */
export function announce(text: string): void {
  if (region === null) {
    region = document.createElement('p');
    region.className = 'visually-hidden';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  const live = region;
  live.textContent = '';
  setTimeout(() => {
    live.textContent = text;
  }, 50); // a region that is new, or has the same text again, would not be read
}
