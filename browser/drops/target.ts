import { readFile } from '../shared/html-file.ts';
import { make } from '../shared/make.ts';
import { addResult } from './results.ts';
import { newKey, upload } from './upload.ts';

interface Uses {
  /** Gets a file that is dropped alone, or the first where only one can be published, instead of publishing it. */
  takeOne?(file: File): void;
  /** After each file. */
  published?(): Promise<void>;
}

/** Publishes HTML files that are dropped anywhere on the page, or chosen, one after the other. */
export function startDropTarget({ takeOne, published }: Uses): void {
  const target = document.querySelector<HTMLElement>('[data-drop-target]');
  const form = document.querySelector<HTMLFormElement>('form[data-upload]');
  if (!target) return;
  let queue = Promise.resolve();

  for (const type of ['dragenter', 'dragover'] as const)
    document.addEventListener(type, (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // or the browser opens the file in place of this page
      target.hidden = false;
    });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) target.hidden = true; // it left the window
  });
  document.addEventListener('drop', (event) => {
    target.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    const files = event.dataTransfer?.files ?? [];
    const [first] = files;
    if (first && takeOne && (files.length === 1 || form === null)) takeOne(first);
    else add(files);
  });
  document.addEventListener('click', ({ target: clicked }) => {
    if (clicked instanceof Element && clicked.closest('[data-choose]')) chooseFiles(add);
  });

  function add(files: Iterable<File>): void {
    for (const file of files)
      queue = queue.then(async () => {
        if (form && (await publish(file, form))) await published?.();
      });
  }
}

function chooseFiles(chosen: (files: Iterable<File>) => void): void {
  const input = make('input', { type: 'file', multiple: true, accept: '.html,.htm,text/html' });
  input.addEventListener('change', () => chosen(input.files ?? []));
  input.click();
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

/** A file that the person must be asked about is not published, because nobody is asked here. @returns whether it is published */
async function publish(file: File, form: HTMLFormElement): Promise<boolean> {
  const result = addResult(file.name);
  const read = await readFile(file, form);
  if ('fault' in read) {
    result.fail(read.fault);
    return false;
  }
  const link = make('a', { href: '/drops/new' }, 'Choose it on “New drop”');
  if ('text' in read) {
    result.fail(
      'This may be plain text, not HTML. Nothing was published. ',
      link,
      ', which asks what it is.',
    );
    return false;
  }
  const data = new FormData(form);
  data.set('key', newKey());
  data.set('file', file);
  const outcome = await upload(form.action, data, result.progress);
  if ('drop' in outcome) result.succeed(outcome.drop);
  else if (outcome.refusal.risks)
    result.fail(outcome.refusal.risks.join(' '), ' Nothing was published. ', link, ', which asks you.');
  else result.fail(outcome.refusal.message);
  return 'drop' in outcome;
}
