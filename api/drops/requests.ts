import { mixed, type ObjectShape, object, string } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import {
  type DetailChanges,
  type Document,
  isMetadataKey,
  metadataKeyPattern,
} from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { describeLength, isLongerThan } from '../../shared/domain/text.ts';
import type { NewDropInput } from '../../shared/services/drops.ts';
import {
  atMostBytes,
  atMostCharacters,
  type Fault,
  fail,
  invalid,
  noNul,
  noNulPattern,
  text,
  validate,
} from '../http/validate.ts';
import { changedExpiresAt, expiresAt } from './expires-at.ts';

/** A new drop whose title may be missing (null). */
export type UntitledDropInput = Omit<NewDropInput, 'title'> & { readonly title: string | null };

/** The bodies of the drop endpoints (spec 4.4). Each reader checks a body and turns it into the input of the service. */
export function createDropBodyReaders(config: Config) {
  const { title, description, context, passcode, metadata, html: optionalHtml } = fieldSchemas(config);
  const html = optionalHtml.defined(htmlRequired);
  const requiredPasscode = string()
    .typeError(passcodeRequired)
    .nonNullable(passcodeRequired)
    .defined(passcodeRequired)
    .test(noNul('passcode'));
  const untitled = body({ title, html, description, passcode, context, metadata, expires_at: expiresAt() });
  const schemas = {
    create: untitled.shape({ title: title.defined(titleRequired) }),
    untitled,
    replace: body({ html, title, description, context, metadata, expires_at: changedExpiresAt() }),
    patch: body({ title, description, metadata, expires_at: changedExpiresAt() }),
    query: body({ title, description, metadata, expires_at: expiresAt() }),
    passcode: body({ passcode: passcodeRules(requiredPasscode, config) }),
  };

  return {
    schemas,

    /** POST /api/drops */
    readCreate(value: unknown): NewDropInput {
      const { title, ...rest } = validate(schemas.create, value);
      return { ...readNew(rest), title: title.toWellFormed() };
    },

    /** The same, if the title is that of the document when it is missing. */
    readUntitled(value: unknown): UntitledDropInput {
      return readNew(validate(schemas.untitled, value));
    },

    /** PUT /api/drops/{slug} */
    readReplace(value: unknown): Document & DetailChanges {
      refusePasscode(value);
      const fields = validate(schemas.replace, value);
      return { ...readDocument(fields), ...readChanges(fields) };
    },

    /** PATCH /api/drops/{slug}. A body with `html` is refused before all other checks, whatever `html` is. */
    readPatch(value: unknown): DetailChanges {
      if (hasField(value, 'html')) {
        const message = 'PATCH cannot change html; use PUT to publish a new version';
        throw new DropError('metadata_only_on_patch', message, { field: 'html' });
      }
      refusePasscode(value);
      return readChanges(validate(schemas.patch, value));
    },

    /** The query of a POST or PUT whose body is the document (html-body.ts). */
    readDetails(query: unknown): DetailChanges {
      return readChanges(validate(schemas.query, query, 'query'));
    },

    /** POST /api/drops/{slug}/passcode. '' removes the passcode. */
    readPasscode(value: unknown): string {
      return validate(schemas.passcode, value).passcode.toWellFormed();
    },
  };
}

const notAnObject = invalid('The body must be a JSON object');

function body<Fields extends ObjectShape>(fields: Fields) {
  return object(fields).typeError(notAnObject).nonNullable(notAnObject);
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/** If PUT and PATCH ignored `passcode` like an unknown field, the client would believe that the page is locked. */
function refusePasscode(value: unknown): void {
  if (!hasField(value, 'passcode')) return;
  const message = 'passcode cannot be changed here; use POST /api/drops/{slug}/passcode';
  throw new DropError('invalid_arg', message, { field: 'passcode' });
}

function readNew(fields: {
  html: string;
  title?: string | undefined;
  description?: string | undefined;
  passcode?: string | undefined;
  context?: string | undefined;
  metadata?: Record<string, string> | undefined;
  expires_at?: number | undefined;
}): UntitledDropInput {
  return {
    ...readDocument(fields),
    title: fields.title?.toWellFormed() ?? null,
    description: fields.description?.toWellFormed() || null,
    metadata: readMetadata(fields.metadata ?? {}),
    passcode: fields.passcode?.toWellFormed() || null,
    expiresAt: fields.expires_at ?? null,
  };
}

/** As UTF-8; U+FFFD replaces lone surrogates, as `toWellFormed` does in the other fields. */
function readDocument({ html, context }: { html: string; context?: string | undefined }): Document {
  return { html: Buffer.from(html), context: context ? Buffer.from(context) : null };
}

function readChanges(fields: {
  title?: string | undefined;
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
  expires_at?: number | null | undefined;
}): DetailChanges {
  return {
    ...(fields.title !== undefined && { title: fields.title.toWellFormed() }),
    ...(fields.description !== undefined && { description: fields.description.toWellFormed() || null }),
    ...(fields.metadata !== undefined && { metadata: readMetadata(fields.metadata) }),
    ...(fields.expires_at !== undefined && { expiresAt: fields.expires_at }),
  };
}

function readMetadata(fields: Record<string, string>): Map<string, string> {
  return new Map(Object.entries(fields).map(([key, value]) => [key, value.toWellFormed()]));
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
function fieldSchemas(config: Config) {
  return {
    title: text('title')
      .meta({ description: 'The title of the page. Must not be blank.', examples: ['Hello'] })
      .test({
        name: 'not-blank',
        params: { json: { minLength: 1, pattern: `^[^\\u0000]*[^\\u0000${blank}][^\\u0000]*$` } },
        message: titleRequired,
        test: (value) => value === undefined || value.trim() !== '',
      })
      .test(atMostCharacters('title_too_long', 'title', config.TITLE_MAX_CHARACTERS)),

    description: text('description')
      .meta({ description: 'A description of the page. Empty: no description.', examples: ['A first page'] })
      .test(atMostCharacters('description_too_long', 'description', config.DESCRIPTION_MAX_CHARACTERS)),

    html: text('html', { allowNul: true })
      .meta({
        description: 'The whole self-contained document.',
        examples: ['<!doctype html><title>Hello</title><h1>Hello</h1>'],
      })
      .test({
        name: 'not-empty',
        params: { json: { minLength: 1 } },
        message: htmlRequired,
        test: (value) => value !== '',
      })
      .test(atMostBytes('html_too_large', 'html', config.HTML_MAX_BYTES)),

    context: text('context', { allowNul: true })
      .meta({
        description: 'A reasoning trace in Markdown. Viewers can read it.',
        examples: ['Made from the figures of May.'],
      })
      .test(atMostBytes('context_too_large', 'context', config.CONTEXT_MAX_BYTES)),

    passcode: passcodeRules(text('passcode'), config),
    metadata: metadata(config),
  };
}

/** '' stands for no passcode. */
function passcodeRules<S extends ReturnType<typeof text>>(schema: S, config: Config): S {
  const { PASSCODE_MIN_CHARACTERS: min, PASSCODE_MAX_CHARACTERS: max } = config;
  return schema
    .meta({
      description: `Viewers must enter it. A soft gate, not encryption. At least ${min} characters; 6 or more with letters are recommended. Empty: no passcode.`,
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
          description:
            'Tags that only the owner sees. A change that has metadata replaces all existing tags.',
          examples: [{ project: 'demo' }],
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
  return { type: 'string', maxLength: config.METADATA_KEY_MAX_CHARACTERS, pattern: metadataKeyPattern };
}

/** The value rule of `findMetadataEntryFault` as JSON Schema. */
export function metadataValueSchema(config: Config) {
  return { type: 'string', maxLength: config.METADATA_VALUE_MAX_CHARACTERS, pattern: noNulPattern };
}
