import { mixed, number, string } from 'yup';
import { commenters } from '../../shared/comments/comment.ts';
import type { Config } from '../../shared/config/config.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { accesses } from '../../shared/drops/access.ts';
import { isMetadataKey, metadataKeyPattern } from '../../shared/drops/drop.ts';
import { readIfMatch } from '../http/if-match.ts';
import {
  atMostBytes,
  atMostCharacters,
  describeLength,
  type Fault,
  fail,
  invalid,
  isLongerThan,
  noNul,
  noNulPattern,
  oneOfField,
  textField,
} from '../http/validate.ts';
import { examplePerson, peopleList } from './people-field.ts';

/** What the fields of a drop hold, where they are sent and where they are answered. */
export const dropFieldTexts = {
  slug: { about: 'Identifies the drop in paths.', example: 't9tzZkipKQ5I' },
  title: { about: 'The title of the page.', example: 'Hello' },
  description: { about: 'The description of the page.', example: 'A first page' },
  html: {
    about: 'The whole self-contained document.',
    example: '<!doctype html><title>Hello</title><h1>Hello</h1>',
  },
  context: { about: 'A reasoning trace in Markdown.', example: 'Made from the figures of May.' },
  comments: { about: 'Who may comment, besides the owner.', example: 'members' },
  access: { about: 'Who may read, besides the owner.', example: 'named' },
  people: {
    about: 'For `named`: addresses, `@example.org`, `group:NAME`.',
    example: [examplePerson],
  },
  metadata: { about: 'Tags that only the owner sees.', example: { project: 'demo' } },
} as const;

/** For the description of a field. @param more what else is to be said of it here */
function say({ about, example }: { readonly about: string; readonly example: unknown }, more = '') {
  return { description: `${about} ${more}`.trim(), examples: [example] };
}

/** The characters that `trim` removes, listed because validators of other languages differ in what `\\s` matches. */
const blank = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

export const titleRequired: Fault = {
  code: 'title_required',
  message: 'title is required and must not be blank',
};
export const htmlRequired: Fault = {
  code: 'html_required',
  message: 'html is required: send the whole HTML document',
};
const passcodeRequired: Fault = {
  code: 'passcode_required',
  message: 'passcode is required and must be a string; "" removes the passcode',
};

/** The rules of each field, except whether it is required. */
export function dropRules(config: Config) {
  return {
    title: textField('title')
      .meta(say(dropFieldTexts.title, 'Must not be blank.'))
      .test({
        name: 'not-blank',
        params: { json: { minLength: 1, pattern: `^[^\\u0000]*[^\\u0000${blank}][^\\u0000]*$` } },
        message: titleRequired,
        test: (value) => value === undefined || value.trim() !== '',
      })
      .test(atMostCharacters('title_too_long', 'title', config.TITLE_MAX_CHARACTERS)),

    description: textField('description')
      .meta(say(dropFieldTexts.description, 'Empty: none.'))
      .test(atMostCharacters('description_too_long', 'description', config.DESCRIPTION_MAX_CHARACTERS)),

    html: textField('html', { allowNul: true })
      .meta(say(dropFieldTexts.html))
      .test({
        name: 'not-empty',
        params: { json: { minLength: 1 } },
        message: htmlRequired,
        test: (value) => value !== '',
      })
      .test(atMostBytes('html_too_large', 'html', config.HTML_MAX_BYTES)),

    context: textField('context', { allowNul: true })
      .meta(say(dropFieldTexts.context, 'Viewers can read it.'))
      .test(atMostBytes('context_too_large', 'context', config.CONTEXT_MAX_BYTES)),

    passcode: passcodeRules(textField('passcode'), config),
    /** Where it is the only field. */
    newPasscode: passcodeRules(
      string()
        .typeError(passcodeRequired)
        .nonNullable(passcodeRequired)
        .defined(passcodeRequired)
        .test(noNul('passcode')),
      config,
    ),
    metadata: metadata(config),
    comments: oneOfField('comments', commenters).meta(
      say(
        dropFieldTexts.comments,
        '`members`: who is signed in; `anyone`: also guests, whose comments the owner approves. New: `owner`.',
      ),
    ),
    access: oneOfField('access', accesses).meta(
      say(dropFieldTexts.access, '`link`: who has the address; `members`: every account; `named`: `people`.'),
    ),
    people: peopleList('people', dropFieldTexts.people.about),
    peopleAdd: peopleList('people_add', 'Added to people.'),
    peopleRemove: peopleList('people_remove', 'Removed from them.'),
    /** For a new drop. The service checks the range when it writes: a repeated request may come later. */
    expiresAt: expiresAt('Absent: the drop does not expire.').nonNullable(notATime),
    /** For a change: absent, it stays; null removes it. */
    changedExpiresAt: expiresAt('null: the drop does not expire any more.', true).nullable(),
  };
}

/** '' stands for no passcode. */
function passcodeRules<S extends ReturnType<typeof textField>>(schema: S, config: Config): S {
  const { PASSCODE_MIN_CHARACTERS: min, PASSCODE_MAX_CHARACTERS: max } = config;
  return schema
    .meta({
      description: `Viewers must enter it: a soft gate, not encryption. At least ${min} characters, better 6 or more with letters. Empty: none.`,
      examples: ['open sesame'],
    })
    .test({
      name: 'min-characters',
      params: { json: { pattern: `^([^\\u0000]{${min},})?$` } },
      test(value, testing) {
        if (!value || isLongerThan(value, min - 1)) return true;
        const message = `passcode must be at least ${min} characters (got ${describeLength(value)}); ${Math.max(min, 6)} or more are recommended`;
        return fail(testing, { code: 'passcode_too_short', message, details: { min_length: min } });
      },
    })
    .test(atMostCharacters('invalid_arg', 'passcode', max)) as S; // proof: a test does not change a schema's type
}

const notATime = invalid('expires_at must be an integer: Unix time in milliseconds');

function expiresAt(more: string, canBeNull = false) {
  const about = 'When the drop is deleted: Unix time in milliseconds, in the future, at most 10 years ahead.';
  // The service refuses what is more than 10 years ahead; that bound moves with the time, which no schema can say.
  const maximum = Number.MAX_SAFE_INTEGER;
  return number()
    .typeError(notATime)
    .meta({ ...say({ about, example: 2_000_000_000_000 }, more), format: 'int64' })
    .test({
      name: 'integer',
      params: { json: { type: canBeNull ? ['integer', 'null'] : 'integer', maximum } },
      message: notATime,
      test: (value) => value == null || Number.isSafeInteger(value),
    });
}

/** `expires_at` in a query. @returns Unix ms; a text that is no integer as it is, which the rules refuse */
export function readTime(text: string): number | string {
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}

/** A flat object of strings. */
function metadata(config: Config) {
  // `check` accepts any value, whatever its type says: the test below finds all faults, with better messages.
  return mixed<Record<string, string>>({ check: (value): value is Record<string, string> => true })
    .nonNullable(invalid('metadata must be an object of strings, not null'))
    .test({
      name: 'metadata',
      params: {
        json: {
          type: 'object',
          ...say(dropFieldTexts.metadata, 'A change replaces all of them.'),
          maxProperties: config.METADATA_MAX_KEYS,
          propertyNames: metadataKeySchema(config),
          additionalProperties: metadataValueSchema(config),
        },
      },
      test(value, testing) {
        const found = value === undefined ? null : findMetadataFault(value, config);
        if (found === null) return true;
        return fail(testing, found.fault, found.key === null ? undefined : `metadata.${found.key}`);
      },
    });
}

function findMetadataFault(value: object, config: Config): { key: string | null; fault: Fault } | null {
  const { METADATA_MAX_KEYS: maxKeys, METADATA_KEY_MAX_CHARACTERS: maxLength } = config;
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { key: null, fault: invalid('metadata must be an object of strings') };
  }
  const entries = Object.entries(value);
  if (entries.length > maxKeys) {
    const message = `metadata must have at most ${maxKeys} keys (got ${entries.length})`;
    return { key: null, fault: invalid(message, { max_keys: maxKeys }) };
  }
  for (const [key, entry] of entries) {
    const fault = findMetadataEntryFault(key, entry, config);
    if (fault !== null) return { key: key.slice(0, maxLength), fault };
  }
  return null;
}

/** null: the key and the value are legal. */
export function findMetadataEntryFault(key: string, value: unknown, config: Config): Fault | null {
  const { METADATA_KEY_MAX_CHARACTERS: maxKey, METADATA_VALUE_MAX_CHARACTERS: maxValue } = config;
  if (!isMetadataKey(key, maxKey)) {
    const message = `metadata keys must be 1 to ${maxKey} letters, digits, "_", "." or "-", and must not start or end with "." or "-"`;
    return invalid(message, { max_length: maxKey });
  }
  const name = `metadata.${key}`;
  if (typeof value !== 'string') return invalid(`${name} must be a string; send numbers as strings`);
  if (value.includes('\0')) return invalid(`${name} must not contain U+0000`);
  if (!isLongerThan(value, maxValue)) return null;
  const message = `${name} must be at most ${maxValue} characters (got ${describeLength(value)})`;
  return invalid(message, { max_length: maxValue });
}

/** The key rule of `findMetadataEntryFault` as JSON Schema. */
export function metadataKeySchema(config: Config) {
  return {
    type: 'string',
    maxLength: config.METADATA_KEY_MAX_CHARACTERS,
    pattern: metadataKeyPattern.source,
  };
}

/** The value rule of `findMetadataEntryFault` as JSON Schema. */
export function metadataValueSchema(config: Config) {
  return { type: 'string', maxLength: config.METADATA_VALUE_MAX_CHARACTERS, pattern: noNulPattern };
}

export const slugFault: Fault = {
  code: 'invalid_slug',
  message: 'slug must be 1 to 64 letters, digits, "_" or "-": the last part of the address of the page',
};

/** A yup test. */
export const slugTest = {
  name: 'slug',
  params: { json: { pattern: slugPattern.source } },
  message: slugFault,
  test: (value: string | undefined) => value === undefined || slugPattern.test(value),
};

/** May be left out. `readRevisions` reads it. */
export const ifMatchField = textField('if_match').meta({
  description:
    'The etag of the drop as you read it. If it was changed since, nothing happens and the error is version_conflict.',
});

/** The revisions that `if_match` accepts. Models often leave out the quotes of an ETag. @throws DropError `invalid_arg` */
export function readRevisions(value: string | undefined): readonly number[] | null {
  return readIfMatch(/^\d+$/.test(value ?? '') ? `"${value}"` : value, 'if_match');
}
