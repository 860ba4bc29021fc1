import { mixed, string } from 'yup';
import { isMetadataKey, metadataKeyPattern } from '../../shared/domain/metadata.ts';
import { isLongerThan } from '../../shared/domain/text.ts';
import {
  atMostBytes,
  atMostCharacters,
  type Fault,
  invalid,
  noNul,
  noNulPattern,
  text,
} from '../http/validate.ts';

/** The numbers that requests about drops are held to: settings with the spec's defaults (section 8). */
export interface FieldLimits {
  readonly TITLE_MAX_CHARACTERS: number;
  readonly DESCRIPTION_MAX_CHARACTERS: number;
  readonly HTML_MAX_BYTES: number;
  readonly CONTEXT_MAX_BYTES: number;
  readonly PASSCODE_MIN_CHARACTERS: number;
  readonly PASSCODE_MAX_CHARACTERS: number;
  readonly METADATA_MAX_KEYS: number;
  readonly METADATA_KEY_MAX_CHARACTERS: number;
  readonly METADATA_VALUE_MAX_CHARACTERS: number;
}

const titleRequired: Fault = { code: 'title_required', message: 'title is required.' };
const htmlRequired: Fault = { code: 'html_required', message: 'html is required: the whole document.' };

/** What `trim` takes off, for a class of a pattern: engines differ in what they mean by `\\s`. */
const blank = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

const notBlank = {
  name: 'not-blank',
  params: { json: { minLength: 1, pattern: `^[^\\u0000]*[^\\u0000${blank}][^\\u0000]*$` } },
  message: titleRequired,
  test: (value: string | undefined) => value === undefined || value.trim() !== '',
};

/** A title where one is given: never blank. */
export function title(limits: FieldLimits) {
  const about = { description: 'What the page is called; not of white space alone.', examples: ['Hello'] };
  return text('title', { about })
    .test(notBlank)
    .test(atMostCharacters('title_too_long', 'title', limits.TITLE_MAX_CHARACTERS));
}

export function requiredTitle(limits: FieldLimits) {
  return title(limits).defined(titleRequired);
}

export function description(limits: FieldLimits) {
  const limit = limits.DESCRIPTION_MAX_CHARACTERS;
  const about = { description: 'Says more; an empty one is none.', examples: ['A first page'] };
  return text('description', { about }).test(atMostCharacters('description_too_long', 'description', limit));
}

export function requiredHtml(limits: FieldLimits) {
  const about = {
    description: `The whole self-contained document, at most ${limits.HTML_MAX_BYTES} bytes of UTF-8.`,
    examples: ['<!doctype html><title>Hello</title><h1>Hello</h1>'],
  };
  return text('html', { allowNul: true, about })
    .defined(htmlRequired)
    .test({
      name: 'not-empty',
      params: { json: { minLength: 1 } },
      message: htmlRequired,
      test: (value) => value !== '',
    })
    .test(atMostBytes('html_too_large', 'html', limits.HTML_MAX_BYTES));
}

export function context(limits: FieldLimits) {
  const limit = limits.CONTEXT_MAX_BYTES;
  const about = {
    description: `A reasoning trace in Markdown, at most ${limit} bytes of UTF-8. Viewers can read it.`,
    examples: ['Made from the figures of May.'],
  };
  return text('context', { allowNul: true, about }).test(atMostBytes('context_too_large', 'context', limit));
}

const passcodeAbout = {
  description:
    'Viewers must enter it: a soft gate, not encryption. Use 6 characters or more, letters too. An empty one is none.',
  examples: ['open sesame'],
};

/** A passcode, or '' for none. */
export function passcode(limits: FieldLimits) {
  return passcodeRules(text('passcode', { about: passcodeAbout }), limits);
}

/** The same where it must be there, as a string: anything else is no passcode at all. */
export function requiredPasscode(limits: FieldLimits) {
  const fault: Fault = { code: 'passcode_required', message: "passcode is required: '' removes the gate." };
  const schema = string().typeError(fault).nonNullable(fault).defined(fault).meta(passcodeAbout);
  return passcodeRules(schema.test(noNul('passcode')), limits);
}

function passcodeRules<S extends ReturnType<typeof text>>(schema: S, limits: FieldLimits): S {
  const { PASSCODE_MIN_CHARACTERS: min, PASSCODE_MAX_CHARACTERS: max } = limits;
  const tooShort: Fault = {
    code: 'passcode_too_short',
    message: `passcode must have at least ${min} characters; use ${Math.max(min, 6)} or more.`,
    details: { min_length: min },
  };
  return schema
    .test({
      name: 'min-characters',
      params: { json: { pattern: `^([^\\u0000]{${min},})?$` } },
      message: tooShort,
      test: (value) => !value || isLongerThan(value, min - 1),
    })
    .test(atMostCharacters('invalid_arg', 'passcode', max)) as S; // proof: a test does not change a schema's type
}

/** A flat object of strings, as it came; `readMetadata` turns it into a map. */
export function metadata(limits: FieldLimits) {
  return mixed<Record<string, string>>({ check: (value): value is Record<string, string> => true })
    .nonNullable(invalid('metadata must be an object, not null.'))
    .test({
      name: 'metadata',
      params: { json: metadataSchema(limits) },
      test: (value, { createError, path }) => {
        if (value === undefined) return true;
        const fault = findMetadataFault(value, limits);
        if (fault === null) return true;
        return createError({
          path: fault.key === null ? path : `${path}.${fault.key}`,
          message: fault.fault,
        });
      },
    });
}

/** What `findMetadataFault` demands. */
function metadataSchema(limits: FieldLimits) {
  return {
    type: 'object',
    description: 'Tags that only the owner sees. A given map replaces the whole one.',
    examples: [{ project: 'demo' }],
    maxProperties: limits.METADATA_MAX_KEYS,
    propertyNames: metadataKeySchema(limits),
    additionalProperties: metadataValueSchema(limits),
  };
}

/** What `checkMetadataKey` demands. */
export function metadataKeySchema(limits: FieldLimits) {
  return { type: 'string', maxLength: limits.METADATA_KEY_MAX_CHARACTERS, pattern: metadataKeyPattern };
}

/** What `checkMetadataValue` demands. */
export function metadataValueSchema(limits: FieldLimits) {
  return { type: 'string', maxLength: limits.METADATA_VALUE_MAX_CHARACTERS, pattern: noNulPattern };
}

function findMetadataFault(value: unknown, limits: FieldLimits): { key: string | null; fault: Fault } | null {
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { key: null, fault: invalid('metadata must be an object of strings.') };
  }
  const entries = Object.entries(value ?? {});
  if (entries.length > limits.METADATA_MAX_KEYS) {
    const max = limits.METADATA_MAX_KEYS;
    return { key: null, fault: invalid(`metadata must have at most ${max} keys.`, { max_keys: max }) };
  }
  for (const [key, entry] of entries) {
    const fault = checkMetadataKey(key, limits) ?? checkMetadataValue(entry, limits);
    if (fault !== null) return { key: key.slice(0, limits.METADATA_KEY_MAX_CHARACTERS), fault };
  }
  return null;
}

/** null: the key may stand. */
export function checkMetadataKey(key: string, limits: FieldLimits): Fault | null {
  const max = limits.METADATA_KEY_MAX_CHARACTERS;
  if (isMetadataKey(key, max)) return null;
  return invalid(
    `A metadata key has 1 to ${max} of letters, digits, "_", "." and "-", and no "." or "-" at its ends.`,
    { max_length: max },
  );
}

/** null: the value may stand. */
export function checkMetadataValue(value: unknown, limits: FieldLimits): Fault | null {
  const max = limits.METADATA_VALUE_MAX_CHARACTERS;
  if (typeof value !== 'string') return invalid('A metadata value must be a string: write numbers as text.');
  if (value.includes('\0')) return invalid('A metadata value must not contain U+0000.');
  if (!isLongerThan(value, max)) return null;
  return invalid(`A metadata value must have at most ${max} characters.`, { max_length: max });
}
