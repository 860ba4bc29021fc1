import { accesses } from '../../../shared/drops/access.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { groupPrefix, mostPeople, readPerson } from '../../../shared/drops/people.ts';
import type { SharingChanges } from '../../../shared/drops/sharing.ts';
import { invalid, validationError } from '../../http/validate.ts';
import type { RefusedForm } from '../pages.ts';

/** The form as it is filled in: valid or not. */
export interface ShareValues {
  readonly access: string;
  /** What is to be added. */
  readonly people: string;
}

/** The largest list: an entry has at most 256 characters, each of 4 bytes and sent as `%XX`. */
export const shareFormBytes = mostPeople * 260 * 12 + 4 * 1024;

export function valuesOf({ access }: Drop): ShareValues {
  return { access, people: '' };
}

export function readShareValues(form: RefusedForm['form']): ShareValues {
  return { access: form.get('access') ?? '', people: (form.get('people') ?? '').replace(/\r\n?/g, '\n') };
}

/** @throws DropError `invalid_arg` with the field and what is wrong with it */
export function readSharing({ access: chosen, people: typed }: ShareValues): SharingChanges {
  const access = accesses.find((one) => one === chosen);
  if (access === undefined) throw fault('access', 'Choose who can read the page');
  const texts = splitEntries(typed);
  if (access !== 'named' && texts.length > 0)
    throw fault('people', 'To add people, choose “Only people whom you name”; or leave this field empty');
  const people = texts.map((text) => readPerson(text));
  const wrong = texts.filter((_, n) => people[n] === null);
  if (wrong.length > 0) throw fault('people', wrongText(wrong));
  if (access !== 'named') return { access };
  return { access, peopleAdd: people.filter((person) => person !== null) };
}

/** A group may have commas in its name, so one that begins a line takes all of it. */
function splitEntries(typed: string): string[] {
  const lines = typed.split('\n').map((line) => line.trim());
  const entries = lines.flatMap((line) => (line.startsWith(groupPrefix) ? [line] : line.split(',')));
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

const shownWrong = 3;

function wrongText(wrong: readonly string[]): string {
  const shown = wrong.slice(0, shownWrong).map((text) => `“${text.slice(0, 60)}”`);
  const more = wrong.length > shownWrong ? ` and ${wrong.length - shownWrong} more` : '';
  const what = wrong.length === 1 ? 'is none' : 'are none';
  return `Write ada@example.org, @example.org for everybody of that domain, or group:NAME: ${shown.join(', ')}${more} ${what} of these. Nobody was added`;
}

function fault(field: 'access' | 'people', message: string) {
  return validationError([{ field, ...invalid(message) }]);
}

/** Whether the drop says what the form does: one that was sent twice meets the revision that it has made itself. */
export function isStoredAlready(values: ShareValues, drop: Drop): boolean {
  const listed = new Set(drop.people);
  const added = splitEntries(values.people).map((text) => readPerson(text));
  return values.access === drop.access && added.every((person) => person !== null && listed.has(person));
}
