import type { Config } from '../../../shared/config/config.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { expiryRule } from '../../html/forms.ts';
import { invalid, validationError } from '../../http/validate.ts';
import type { RefusedForm } from '../pages.ts';

/** The form of the details as it is filled in: text alone, valid or not. */
export interface EditValues {
  readonly title: string;
  readonly description: string;
  /** Rows of the form; those without name and value are no tags. */
  readonly tags: readonly (readonly [name: string, value: string])[];
  /** `2026-01-31T12:00`, in UTC; '' for never. */
  readonly expires: string;
  /** Who may write comments. */
  readonly comments: string;
  /** The revision of the drop that the person saw. */
  readonly ifMatch: string;
  /** The fields as the form first showed them (`fieldsText`), which tells what the person changed. */
  readonly shown: string;
}

const emptyRows = 3;

/** The values of a drop, with empty rows for more tags. @param maxTags of a drop */
export function valuesOf(drop: Drop, maxTags: number): EditValues {
  const tags = [...drop.metadata].map(([name, value]) => [name, inOneLine(value)] as const);
  const fields = {
    title: inOneLine(drop.title),
    description: withLineFeeds(drop.description ?? ''),
    tags: withEmptyRows(tags, maxTags),
    expires: expiresField(drop),
    comments: drop.comments,
  };
  return { ...fields, ifMatch: String(drop.rev), shown: JSON.stringify(fieldsText(fields)) };
}

/** What the person changed, and for other fields what is live: saving again must not undo what a program has written into those. */
export function afterConflict(values: EditValues, live: Drop, maxTags: number): EditValues {
  const before = readShown(values.shown);
  const sent = fieldsText(values);
  const isChanged = (field: keyof typeof sent) => before?.[field] !== sent[field];
  const { title, description, tags, expires, comments } = values;
  return {
    ...valuesOf(live, maxTags),
    ...(isChanged('title') && { title }),
    ...(isChanged('description') && { description }),
    ...(isChanged('tags') && { tags }),
    ...(isChanged('expires') && { expires }),
    ...(isChanged('comments') && { comments }),
  };
}

/** Whether the drop says what the form does: a form that was sent twice meets the revision that it has made itself. */
export function isStoredAlready(values: EditValues, drop: Drop, maxTags: number): boolean {
  return JSON.stringify(fieldsText(values)) === JSON.stringify(fieldsText(valuesOf(drop, maxTags)));
}

/** What the fields say, each as one text. */
export function fieldsText(values: Omit<EditValues, 'ifMatch' | 'shown'>) {
  const { title, description, tags, expires, comments } = values;
  const filled = tags.filter(([name, value]) => name !== '' || value !== '');
  return { title, description, tags: JSON.stringify(filled), expires, comments };
}

/** null: the field was tampered with, or is missing. */
function readShown(text: string): Partial<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The expiry as `<input type="datetime-local">` has it. */
export function expiresField({ expiresAt }: Drop): string {
  return expiresAt === null ? '' : new Date(expiresAt).toISOString().slice(0, 16);
}

/** The values as they were sent. */
export function readValues(form: RefusedForm['form']): EditValues {
  const field = (name: string) => form.get(name) ?? '';
  const tags: (readonly [string, string])[] = [];
  for (let row = 0; form.has(tagField('name', row)) || form.has(tagField('value', row)); row++)
    tags.push([field(tagField('name', row)).trim(), field(tagField('value', row))]);
  return {
    title: field('title'),
    description: withLineFeeds(field('description')),
    tags,
    expires: field('expires'),
    comments: field('comments'),
    ifMatch: field('if_match'),
    shown: field('shown'),
  };
}

/** The same values with more rows for tags, as many as a drop can have. */
export function withMoreRows(values: EditValues, maxTags: number): EditValues {
  return { ...values, tags: withEmptyRows(values.tags, maxTags) };
}

/** The largest valid form: a character has at most 4 bytes, each of them sent as `%XX`; `shown` has each text again. */
export function editFormBytes(config: Config): number {
  const tag = config.METADATA_KEY_MAX_CHARACTERS + config.METADATA_VALUE_MAX_CHARACTERS + 4;
  const details = config.TITLE_MAX_CHARACTERS + 2 * config.DESCRIPTION_MAX_CHARACTERS;
  return 2 * 12 * (details + config.METADATA_MAX_KEYS * tag) + 4 * 1024;
}

/**
 * The body of a PATCH. A form has no seconds of an expiry, so what was not changed stays. @param drop as the form showed it
 * @throws DropError `invalid_arg` for a tag that is there twice, or an invalid time
 */
export function toPatchBody(values: EditValues, drop: Drop): object {
  const { title, description, tags, expires, comments } = values;
  const metadata = new Map<string, string>();
  for (const [name, value] of tags) {
    if (name === '' && value === '') continue;
    if (metadata.has(name))
      throw validationError([{ field: `metadata.${name}`, ...invalid(`The tag ${name} is there twice`) }]);
    metadata.set(name, keep(value, drop.metadata.get(name), inOneLine));
  }
  return {
    title: keep(title, drop.title, inOneLine),
    description: keep(description, drop.description ?? '', withLineFeeds),
    metadata: Object.fromEntries(metadata),
    ...(comments !== '' && { comments }),
    ...(expires !== expiresField(drop) && { expires_at: expires === '' ? null : fromField(expires) }),
  };
}

/** The text as it was stored, if it was sent as a field shows it. */
function keep(sent: string, stored: string | undefined, asShown: (text: string) => string): string {
  return stored !== undefined && asShown(stored) === sent ? stored : sent;
}

function inOneLine(text: string): string {
  return text.replace(/[\r\n]/g, '');
}

/** Browsers send a line break as CR LF. */
function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

export function tagField(part: 'name' | 'value', row: number): string {
  return `tag_${part}_${row}`;
}

function withEmptyRows(tags: EditValues['tags'], maxTags: number): EditValues['tags'] {
  const rows = Math.max(tags.length, Math.min(tags.length + emptyRows, maxTags));
  return Array.from({ length: rows }, (_, row) => tags[row] ?? (['', ''] as const));
}

/** @throws DropError `invalid_arg` */
function fromField(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
    ? Date.parse(`${text}Z`)
    : Number.NaN;
  if (Number.isNaN(time)) throw validationError([{ field: 'expires_at', ...invalid(expiryRule) }]);
  return time;
}
