import type { InferType } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Document } from '../../shared/drops/drop.ts';
import type { NewDropInput, NewVersionInput } from '../../shared/drops/drops.ts';
import type { DropChanges } from '../../shared/drops/sharing.ts';
import { readResolves, resolvesFields } from '../comments/resolves.ts';
import { jsonObject, validate } from '../http/validate.ts';
import { dropRules, htmlRequired, titleRequired } from './fields.ts';
import { readPeople } from './people-field.ts';

/** A new drop whose title may be missing (null). */
export type UntitledDropInput = Omit<NewDropInput, 'title'> & { readonly title: string | null };

function createSchemas(config: Config) {
  const { newPasscode, expiresAt, changedExpiresAt, peopleAdd, peopleRemove, ...rules } = dropRules(config);
  const { title, description, context, passcode, metadata, comments, access, people } = rules;
  const html = rules.html.defined(htmlRequired);
  const untitled = jsonObject({
    title,
    html,
    description,
    passcode,
    context,
    metadata,
    comments,
    access,
    people,
    expires_at: expiresAt,
  });
  const details = untitled.omit(['html', 'passcode', 'context']);
  const changed = { people_add: peopleAdd, people_remove: peopleRemove, expires_at: changedExpiresAt };
  return {
    create: untitled.shape({ title: title.defined(titleRequired) }),
    untitled,
    // Faults are in the order of the fields, and the first one is the code of the error.
    replace: jsonObject({
      html,
      title,
      description,
      context,
      metadata,
      comments,
      access,
      people,
      ...changed,
      ...resolvesFields,
    }),
    patch: details.shape(changed),
    query: details,
    passcode: jsonObject({ passcode: newPasscode }),
    context: jsonObject({ context }),
  };
}

type Schemas = ReturnType<typeof createSchemas>;

/** The bodies of the drop endpoints (spec 4.4). Each reader checks a body and turns it into the input of the service. */
export class DropBodyReaders {
  readonly schemas: Schemas;

  constructor(config: Config) {
    this.schemas = createSchemas(config);
  }

  /** POST /api/drops */
  readCreate(value: unknown): NewDropInput {
    const { title, ...rest } = validate(this.schemas.create, value);
    return { ...readNew(rest), title };
  }

  /** The same, but the title may be missing: then the caller takes that of the document. */
  readUntitled(value: unknown): UntitledDropInput {
    return readNew(validate(this.schemas.untitled, value));
  }

  /** PUT /api/drops/{slug} */
  readReplace(value: unknown): NewVersionInput {
    refusePasscode(value);
    const fields = validate(this.schemas.replace, value);
    return { ...readDocument(fields), ...readChanges(fields), resolves: readResolves(fields) };
  }

  /** PATCH /api/drops/{slug}. A body with `html` is refused before all other checks, whatever `html` is. */
  readPatch(value: unknown): DropChanges {
    if (hasField(value, 'html')) {
      const message = 'PATCH cannot change html; use PUT to publish a new version';
      throw new DropError('metadata_only_on_patch', message, { field: 'html' });
    }
    refusePasscode(value);
    return readChanges(validate(this.schemas.patch, value));
  }

  /** The query of a POST or PUT whose body is the document (html-body.ts). */
  readDetails(query: unknown): DropChanges {
    return readChanges(validate(this.schemas.query, query, 'query'));
  }

  /** A context alone. null: it is empty. */
  readContext(value: unknown): Uint8Array | null {
    return toContext(validate(this.schemas.context, value).context);
  }

  /** POST /api/drops/{slug}/passcode. '' removes the passcode. */
  readPasscode(value: unknown): string {
    return validate(this.schemas.passcode, value).passcode;
  }
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

function readNew(fields: InferType<Schemas['untitled']>): UntitledDropInput {
  return {
    ...readDocument(fields),
    title: fields.title ?? null,
    description: fields.description || null,
    metadata: new Map(Object.entries(fields.metadata ?? {})),
    passcode: fields.passcode || null,
    expiresAt: fields.expires_at ?? null,
    comments: fields.comments ?? 'owner',
    ...given({ access: fields.access, people: fields.people && readPeople(fields.people) }),
  };
}

function readDocument({ html, context }: { html: string; context?: string | undefined }): Document {
  return { html: Buffer.from(html), context: toContext(context) };
}

function toContext(text: string | undefined): Uint8Array | null {
  return text ? Buffer.from(text) : null;
}

function readChanges(fields: InferType<Schemas['patch']>): DropChanges {
  const { title, description, metadata, expires_at, comments } = fields;
  const { access, people, people_add: peopleAdd, people_remove: peopleRemove } = fields;
  const read: { readonly [Name in keyof DropChanges]-?: DropChanges[Name] | undefined } = {
    title,
    description: description === '' ? null : description,
    metadata: metadata && new Map(Object.entries(metadata)),
    expiresAt: expires_at,
    comments,
    access,
    people: people && readPeople(people),
    peopleAdd: peopleAdd && readPeople(peopleAdd),
    peopleRemove: peopleRemove && readPeople(peopleRemove),
  };
  return given(read);
}

/** Without the fields that were left out. */
function given<T extends object>(read: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(read).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> }; // proof: the fields of `read`
}
