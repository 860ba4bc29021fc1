import { showNotice } from './notice.ts';

/** What GET /p/{slug}/comments sends to a script. */
interface Answer {
  readonly may: 'owner' | 'member' | 'guest' | null;
  readonly open: number;
  /** New replies to what this reader has written. Absent: none. */
  readonly answers?: number;
}

/**
 * Shows the button to readers who may read comments. What it does is loaded when a guest first presses it; for readers who are
 * signed in at once, because the page in the frame is loaded again, and would lose what they have selected.
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
  button.hidden = false;
  const load = (loaded: () => void) => void import(script).then(loaded, tellFailure);
  if (found.may === 'guest' && !location.hash.startsWith('#t-'))
    button.addEventListener('click', () => load(() => button.click()), { once: true });
  else load(() => undefined);
}

/** Until the reader opens the comments. */
function tellAnswers(button: HTMLElement, answers: number): void {
  const word = button.querySelector('.word');
  if (word === null) return;
  const { textContent: usual } = word;
  word.textContent = answers === 1 ? '1 answer' : `${answers} answers`;
  button.classList.add('answered');
  const forget = () => {
    word.textContent = usual;
    button.classList.remove('answered');
  };
  button.addEventListener('click', forget, { once: true });
}

function tellFailure(): void {
  const text = 'Comments cannot be loaded. This device may be offline. Load this page again.';
  showNotice({ key: 'comments', text, actions: [] });
}
