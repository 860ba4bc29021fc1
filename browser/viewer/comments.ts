import { tellAnswers } from './answers.ts';
import { showNotice } from './notice.ts';

/** What GET /p/{slug}/comments sends to a script. */
interface Answer {
  readonly may: 'owner' | 'member' | 'guest' | null;
  readonly open: number;
  /** New replies to what this reader has written. Absent: none. */
  readonly answers?: number;
}

/**
 * Shows the button to readers who may read comments, with what it does: it must know what is selected when it is pressed.
 */
export async function offerComments(): Promise<void> {
  const button = document.querySelector<HTMLElement>('[data-comments]');
  const count = button?.querySelector('.count');
  if (button === null || count == null) return;
  const { comments: path = '', script = '' } = button.dataset;
  const answer = await fetch(path, { cache: 'no-store' }).catch(() => null);
  // proof: the service sends nothing else with 200; null if the body is cut off
  const found = answer?.ok ? ((await answer.json().catch(() => null)) as Answer | null) : null;
  if (found === null || found.may === null) return;
  if (found.open > 0) count.textContent = String(found.open);
  if (found.answers) tellAnswers(button, found.answers);
  try {
    await import(script);
    button.hidden = false; // a press before would do nothing
  } catch {
    tellFailure();
  }
}

function tellFailure(): void {
  const text = 'Comments cannot be loaded. This device may be offline. Load this page again.';
  showNotice({ key: 'comments', text, actions: [] });
}
