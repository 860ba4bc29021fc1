import { textDocument, titleOfName } from '../../shared/html/html-file.ts';
import { find } from '../shared/find.ts';
import { readFile } from '../shared/html-file.ts';
import { showPreview } from './preview.ts';
import { startDropTarget } from './target.ts';

/** From the last key to the preview. */
const typingMs = 400;

/** Takes one document, chosen, dropped, pasted or typed, and shows it beside the other fields. */
export class DocumentField {
  readonly #form: HTMLFormElement;
  readonly #tell: (fault: string | null) => void;
  readonly #file = find<HTMLInputElement>('#file');
  readonly #pasted = find<HTMLTextAreaElement>('#html');
  readonly #title = document.querySelector<HTMLInputElement>('#title');
  readonly #as = find<HTMLFieldSetElement>('#as');
  readonly #asText = find<HTMLInputElement>('#as input[value="text"]');
  readonly #preview = find('[data-preview]');
  readonly #chosenText = find('[data-chosen]');
  readonly #invitation = this.#chosenText.textContent;
  readonly #choose = find('[data-chosen] + .button');
  /** How often a document was shown: only the last one counts. */
  #turns = 0;
  /** The last title that was taken from a document. */
  #suggested = '';
  #typingTimer = 0;

  /** @param tell gets why the document cannot be published; null: it can */
  constructor(form: HTMLFormElement, tell: (fault: string | null) => void) {
    this.#form = form;
    this.#tell = tell;
    if (this.#as.querySelector(':checked') === null) this.#asText.checked = true;
    this.#pasted.addEventListener('input', () => {
      clearTimeout(this.#typingTimer);
      this.#typingTimer = setTimeout(() => void this.#show(), typingMs);
    });
    this.#file.addEventListener('change', () => void this.#show());
    this.#as.addEventListener('change', () => void this.#show());
    document.addEventListener('paste', (event) => this.#paste(event));
    startDropTarget({ takeOne: (taken) => this.#take(taken) });
    // A browser that goes back, and a form that is shown again, have a document already.
    window.addEventListener('pageshow', () => void this.#show());
  }

  async #show(): Promise<void> {
    this.#turns += 1;
    const turn = this.#turns;
    const typed = this.#pasted.value === '' ? null : new File([this.#pasted.value], '');
    const chosen = this.#file.files?.[0] ?? typed;
    if (chosen === null) return this.#setStage(null);
    const read = await readFile(chosen, this.#form);
    if (turn !== this.#turns) return; // another one was chosen meanwhile
    if ('fault' in read) {
      if (chosen !== typed) this.#file.value = '';
      this.#setStage(typed);
      return this.#tell(read.fault);
    }
    this.#tell(null);
    this.#setStage(chosen);
    const isText = 'text' in read;
    this.#as.hidden = !isText;
    this.#as.disabled = !isText;
    const html = isText ? this.#asMeant(read.text, chosen.name) : new TextDecoder().decode(read.html);
    showPreview(this.#preview, html, (found) => this.#suggest(found || titleOfName(chosen.name)));
  }

  /** @param chosen null: nothing; a file without a name is what was pasted or typed */
  #setStage(chosen: File | null): void {
    this.#form.dataset.stage = chosen === null ? 'choose' : 'chosen';
    find('[data-details]').hidden = chosen === null;
    this.#preview.hidden = chosen === null;
    this.#as.hidden = true;
    this.#as.disabled = true;
    const isFile = chosen !== null && chosen.name !== '';
    find('[data-paste]').hidden = isFile;
    this.#pasted.disabled = isFile;
    this.#choose.textContent = chosen === null ? 'Choose a file' : 'Choose another file';
    this.#choose.className = chosen === null ? 'button' : 'button quiet small';
    this.#chosenText.textContent = chosen === null ? this.#invitation : describe(chosen);
  }

  #asMeant(text: string, name: string): string {
    return this.#asText.checked ? textDocument(text, name) : text;
  }

  /** A title that a person has typed stays. */
  #suggest(found: string): void {
    const title = this.#title;
    if (title?.value !== this.#suggested) return;
    this.#suggested = [...found].slice(0, title.maxLength).join('');
    title.value = this.#suggested;
    if (document.activeElement === title) title.select(); // what the person types next replaces it
  }

  #paste(event: ClipboardEvent): void {
    const { clipboardData, target } = event;
    const isTyping = target instanceof Element && target.matches('textarea, input:not([type="file"])');
    if (clipboardData === null || isTyping) return;
    const [copied] = clipboardData.files;
    if (copied) this.#take(copied);
    else {
      this.#pasted.value = markupOf(clipboardData);
      this.#file.value = '';
      void this.#show();
    }
    event.preventDefault();
  }

  #take(taken: File): void {
    const files = new DataTransfer();
    files.items.add(taken);
    this.#file.files = files.files;
    void this.#show();
    scrollTo(0, 0);
  }
}

function describe({ name, size }: File): string {
  return `${name || 'Pasted HTML'}, ${Math.ceil(size / 1024).toLocaleString('en')} KB`;
}

/** An editor copies its colours as HTML beside the source as text; a page or a word processor copies text without tags. */
function markupOf(data: DataTransfer): string {
  const text = data.getData('text/plain');
  return /<[a-z!]/i.test(text) ? text : data.getData('text/html') || text;
}
