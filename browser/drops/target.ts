import { readFile } from '../shared/html-file.ts';
import { addResult } from './results.ts';
import { newKey, upload } from './upload.ts';

/** Publishes HTML files that are dropped anywhere on the page, one after the other. @param takeOne gets a single one instead */
export function startDropTarget(takeOne?: (files: FileList) => void): void {
  const target = document.querySelector<HTMLElement>('[data-drop-target]');
  const form = document.querySelector<HTMLFormElement>('form[data-upload]');
  if (!target || !form) return;
  let queue = Promise.resolve();
  const show = (isOver: boolean) => {
    target.hidden = !isOver;
  };

  document.addEventListener('dragenter', (event) => {
    if (hasFiles(event)) show(true);
  });
  document.addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault(); // or the browser opens the file in place of this page
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) show(false); // it left the window
  });
  document.addEventListener('drop', (event) => {
    show(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    const files = event.dataTransfer?.files;
    if (takeOne !== undefined && files?.length === 1) return takeOne(files);
    for (const file of files ?? []) queue = queue.then(() => publish(file, form));
  });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

/** A file that may be plain text is published as text, because nobody is asked. */
async function publish(file: File, form: HTMLFormElement): Promise<void> {
  const result = addResult(file.name);
  const { maxBytes, maxSize = '' } = form.dataset;
  const read = await readFile(file, { maxBytes: Number(maxBytes), maxSize });
  if ('fault' in read) return result.fail(read.fault);
  const data = new FormData(form);
  data.set('key', newKey());
  data.set('file', file);
  data.set('as', 'text');
  const outcome = await upload(data, result.progress);
  if ('drop' in outcome) result.succeed(outcome.drop);
  else result.fail(outcome.refusal.message);
}
