import { textDocument, titleOfName } from '../../shared/html/html-file.ts';
import { find } from '../shared/find.ts';
import { readFile } from '../shared/html-file.ts';
import { showPreview } from './preview.ts';
import { startDropTarget } from './target.ts';

/** From the last key to the preview. */
const typingMs = 400;

/** Takes one document, chosen, dropped, pasted or typed, and shows it beside the other fields. @param tell gets why it cannot be published; null: it can */
export function startDocument(form: HTMLFormElement, tell: (fault: string | null) => void): void {
  const file = find<HTMLInputElement>('#file');
  const pasted = find<HTMLTextAreaElement>('#html');
  const title = document.querySelector<HTMLInputElement>('#title');
  const as = find<HTMLFieldSetElement>('#as');
  const asText = find<HTMLInputElement>('#as input[value="text"]');
  const preview = find('[data-preview]');
  const chosenText = find('[data-chosen]');
  const invitation = chosenText.textContent;
  const choose = find('[data-chosen] + .button');
  let turns = 0;
  let suggested = '';
  if (as.querySelector(':checked') === null) asText.checked = true;

  /** @param chosen null: nothing; a file without a name is what was pasted or typed */
  function setStage(chosen: File | null): void {
    form.dataset.stage = chosen === null ? 'choose' : 'chosen';
    find('[data-details]').hidden = preview.hidden = chosen === null;
    as.hidden = as.disabled = true;
    find('[data-paste]').hidden = pasted.disabled = chosen !== null && chosen.name !== '';
    choose.textContent = chosen === null ? 'Choose a file' : 'Choose another file';
    choose.className = chosen === null ? 'button' : 'button quiet small';
    chosenText.textContent = chosen === null ? invitation : describe(chosen);
  }

  async function show(): Promise<void> {
    const turn = ++turns;
    const typed = pasted.value === '' ? null : new File([pasted.value], '');
    const chosen = file.files?.[0] ?? typed;
    if (chosen === null) return setStage(null);
    const read = await readFile(chosen, form);
    if (turn !== turns) return; // another one was chosen meanwhile
    if ('fault' in read) {
      if (chosen !== typed) file.value = '';
      setStage(typed);
      return tell(read.fault);
    }
    tell(null);
    setStage(chosen);
    as.hidden = as.disabled = !('text' in read);
    const html = 'html' in read ? new TextDecoder().decode(read.html) : asMeant(read.text, chosen.name);
    showPreview(preview, html, (found) => {
      if (title?.value !== suggested) return; // a person's own title stays
      suggested = title.value = [...(found || titleOfName(chosen.name))].slice(0, title.maxLength).join('');
      if (document.activeElement === title) title.select(); // what the person types next replaces it
    });
  }

  const asMeant = (text: string, name: string) => (asText.checked ? textDocument(text, name) : text);

  function take(taken: File): void {
    const files = new DataTransfer();
    files.items.add(taken);
    file.files = files.files;
    void show();
    scrollTo(0, 0);
  }

  let timer = 0;
  pasted.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), typingMs);
  });
  file.addEventListener('change', () => void show());
  as.addEventListener('change', () => void show());
  document.addEventListener('paste', (event) => {
    const { clipboardData, target } = event;
    const isTyping = target instanceof Element && target.matches('textarea, input:not([type="file"])');
    if (clipboardData === null || isTyping) return;
    const [copied] = clipboardData.files;
    if (copied) take(copied);
    else {
      pasted.value = markupOf(clipboardData);
      file.value = '';
      void show();
    }
    event.preventDefault();
  });
  startDropTarget({ takeOne: take });
  // A browser that goes back, and a form that is shown again, have a document already.
  window.addEventListener('pageshow', () => void show());
}

function describe({ name, size }: File): string {
  return `${name || 'Pasted HTML'}, ${Math.ceil(size / 1024).toLocaleString('en')} KB`;
}

/** An editor copies its colours as HTML beside the source as text; a page or a word processor copies text without tags. */
function markupOf(data: DataTransfer): string {
  const text = data.getData('text/plain');
  return /<[a-z!]/i.test(text) ? text : data.getData('text/html') || text;
}
