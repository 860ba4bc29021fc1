/** Where the answers are: what follows the address of the comments. */
export const answersAt = '&filter=mine#list';

/** The button Comments says how many answers there are to what this reader has written, until `takeAnswers`. */
export function tellAnswers(button: HTMLElement, answers: number): void {
  const word = button.querySelector<HTMLElement>('.word');
  if (word === null) return;
  word.dataset.usual = word.textContent ?? '';
  word.textContent = answers === 1 ? '1 answer' : `${answers} answers`;
  button.classList.add('answered');
}

/** The button says what it usually does. @returns whether it has said that there are answers */
export function takeAnswers(button: HTMLElement): boolean {
  const word = button.querySelector<HTMLElement>('[data-usual]');
  if (word === null) return false;
  word.textContent = word.dataset.usual ?? '';
  delete word.dataset.usual;
  button.classList.remove('answered');
  return true;
}

/** Shows them, rather than the form above. The focused heading is for screen readers alone. */
export function showAnswers(page: Document): void {
  const list = page.getElementById('list');
  list?.focus({ preventScroll: true });
  list?.nextElementSibling?.scrollIntoView();
}
