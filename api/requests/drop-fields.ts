import { mixed, string } from 'yup';
import { isMetadataKey } from '../../shared/domain/metadata.ts';
import { isLongerThan } from '../../shared/domain/text.ts';
import { atMostBytes, atMostCharacters, type Fault, invalid, text } from './validate.ts';

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

/** A title where one is given: never blank. */
export function title(limits: FieldLimits) {
  return text('title')
    .test('not-blank', titleRequired, (value) => value === undefined || value.trim() !== '')
    .test(atMostCharacters('title_too_long', 'title', limits.TITLE_MAX_CHARACTERS));
}

export function requiredTitle(limits: FieldLimits) {
  return title(limits).defined(titleRequired);
}

export function description(limits: FieldLimits) {
  const limit = limits.DESCRIPTION_MAX_CHARACTERS;
  return text('description').test(atMostCharacters('description_too_long', 'description', limit));
}

export function requiredHtml(limits: FieldLimits) {
  return text('html', { allowNul: true })
    .defined(htmlRequired)
    .test('not-empty', htmlRequired, (value) => value !== '')
    .test(atMostBytes('html_too_large', 'html', limits.HTML_MAX_BYTES));
}

export function context(limits: FieldLimits) {
  const limit = limits.CONTEXT_MAX_BYTES;
  return text('context', { allowNul: true }).test(atMostBytes('context_too_large', 'context', limit));
}

/** A passcode, or '' for none. */
export function passcode(limits: FieldLimits) {
  return passcodeRules(text('passcode'), limits);
}

/** The same where it must be there, as a string: anything else is no passcode at all. */
export function requiredPasscode(limits: FieldLimits) {
  const fault: Fault = { code: 'passcode_required', message: "passcode is required: '' removes the gate." };
  const schema = string().typeError(fault).nonNullable(fault).defined(fault);
  const noNul = invalid('passcode must not contain U+0000.');
  return passcodeRules(
    schema.test('no-nul', noNul, (value) => !value.includes('\0')),
    limits,
  );
}

function passcodeRules<S extends ReturnType<typeof text>>(schema: S, limits: FieldLimits): S {
  const { PASSCODE_MIN_CHARACTERS: min, PASSCODE_MAX_CHARACTERS: max } = limits;
  const tooShort: Fault = {
    code: 'passcode_too_short',
    message: `passcode must have at least ${min} characters.`,
    details: { min_length: min },
  };
  return schema
    .test('min-characters', tooShort, (value) => !value || isLongerThan(value, min - 1))
    .test(atMostCharacters('invalid_arg', 'passcode', max)) as S; // proof: a test does not change a schema's type
}

/** A flat object of strings, as it came; `readMetadata` turns it into a map. */
export function metadata(limits: FieldLimits) {
  return mixed<Record<string, string>>({ check: (value): value is Record<string, string> => true })
    .nonNullable(invalid('metadata must be an object, not null.'))
    .test('metadata', (value, { createError, path }) => {
      if (value === undefined) return true;
      const fault = findMetadataFault(value, limits);
      if (fault === null) return true;
      return createError({ path: fault.key === null ? path : `${path}.${fault.key}`, message: fault.fault });
    });
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
