/** What was typed into a field, and where that stands: forms have no ids, but what they are about has. */
export interface Typed {
  readonly place: string;
  readonly value: string;
}

export type Field = HTMLInputElement | HTMLTextAreaElement;

const key = 'dropleaf-typed';

/** What the fields of a form have when it is sent. */
export function textsOf(form: HTMLFormElement): ReadonlyMap<Field, string> {
  return new Map(fieldsOf(document).flatMap((field) => (field.form === form ? [[field, field.value]] : [])));
}

/** Texts of other forms, and what was typed into this one after it was sent. Files and secrets are not kept. */
export function typedBeside(sent: ReadonlyMap<Field, string>): readonly Typed[] {
  const changed = fieldsOf(document).filter(
    (field) => field.value !== (sent.get(field) ?? field.defaultValue),
  );
  return changed.map((field) => ({ place: placeOf(field), value: field.value }));
}

/** Puts them into the fields of the page that is there now. */
export function putBack(texts: readonly Typed[]): void {
  const values = new Map(texts.map(({ place, value }) => [place, value]));
  for (const field of fieldsOf(document)) {
    const value = values.get(placeOf(field));
    if (value === undefined) continue;
    field.value = value;
    field.closest('details')?.setAttribute('open', '');
  }
}

/** Another form of the same page is sent, such as Resolve below a comment that is being written. */
export function keepTyped(texts: readonly Typed[], path: string): void {
  const { pathname } = new URL(path, location.href);
  if (pathname === location.pathname && texts.length > 0)
    openStorage()?.setItem(key, JSON.stringify({ pathname, texts }));
}

export function restoreTyped(): void {
  const kept = openStorage()?.getItem(key);
  if (!kept) return;
  const { pathname, texts } = JSON.parse(kept) as { pathname: string; texts: readonly Typed[] }; // proof: `keepTyped` wrote it
  if (pathname !== location.pathname) return;
  openStorage()?.removeItem(key);
  putBack(texts);
}

/** @returns null if the person forbids it */
function openStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null; // reading the property alone throws then
  }
}

function fieldsOf(page: Document): Field[] {
  return [
    ...page.querySelectorAll<Field>(
      'form[method="post"] :is(textarea, input:not([type]), input[type="text"])',
    ),
  ];
}

function placeOf(field: Field): string {
  const act = field.form?.querySelector<HTMLInputElement>('input[name="act"]')?.value;
  const around = field.form?.closest('[id]')?.id;
  return JSON.stringify([around, field.form?.getAttribute('action')?.split('?')[0], act, field.name]);
}
