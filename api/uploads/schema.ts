import type { Config } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { NewVersionInput } from '../../shared/drops/drops.ts';
import type { SharingChanges } from '../../shared/drops/sharing.ts';
import type { UploadRequest } from '../../shared/uploads/uploads.ts';
import { resolvesFields } from '../comments/resolves.ts';
import { dropFieldTexts, ifMatchField, readRevisions, slugTest } from '../drops/fields.ts';
import { DropBodyReaders, type UntitledDropInput } from '../drops/requests.ts';
import { invalid, jsonObject, textField, validate } from '../http/validate.ts';
import {
  addressShape,
  exactShape,
  fields,
  named,
  textShape,
  timeShape,
  type Wire,
} from '../openapi/shape.ts';

/** `*`, or one ETag; its quotes may be missing. */
const etagPattern = /^(\*|\d{1,15}|(W\/)?"[!#-~]*")$/;
const etagFault = invalid('if_match must be "*" or the ETag of the drop, such as "3"');

/** Stands for the document, which is checked when it arrives. */
const noHtml = '-';

/** The fields of an upload that are not of the POST or PUT that it stands for. */
const targetFields = {
  slug: textField('slug')
    .meta({
      description: 'The drop that gets a new version. Absent: a new drop.',
      examples: [dropFieldTexts.slug.example],
    })
    .test(slugTest),
  if_match: ifMatchField.test({
    name: 'etag',
    params: { json: { pattern: etagPattern.source } },
    message: etagFault,
    test: (value) => value === undefined || etagPattern.test(value),
  }),
};
const targetSchema = jsonObject(targetFields);

function uploadSchema({ untitled, replace }: DropBodyReaders['schemas']) {
  const { expires_at, people_add, people_remove } = replace.fields;
  const changes = { people_add, people_remove, expires_at };
  return untitled.omit(['html']).shape({ ...targetFields, ...resolvesFields, ...changes });
}

/** The body of POST /api/uploads, which is checked as that of the POST or PUT that it stands for. */
export class UploadReaders {
  readonly schema: ReturnType<typeof uploadSchema>;
  readonly #bodies: DropBodyReaders;
  /** The names of the fields that are stored with the upload as they are: a passcode is stored as a lock. */
  readonly #stored: readonly string[];

  constructor(config: Config) {
    this.#bodies = new DropBodyReaders(config);
    this.schema = uploadSchema(this.#bodies.schemas);
    const others = ['passcode', ...Object.keys(targetFields)];
    this.#stored = Object.keys(this.schema.fields).filter((name) => !others.includes(name));
  }

  /** @throws DropError as the POST or PUT would, and `invalid_arg` for html */
  read(value: unknown): {
    request: Omit<UploadRequest, 'lock'>;
    details: { passcode: string | null; expiresAt: number | null; sharing: SharingChanges };
  } {
    const { slug, if_match } = validate(targetSchema, value);
    const body = value as Record<string, unknown>; // proof: the schema of an object has accepted it
    if (Object.hasOwn(body, 'html')) throw htmlComesLater();
    // null removes the time of a drop; a new one has none.
    const isStored = ([name, field]: [string, unknown]) =>
      this.#stored.includes(name) && !(name === 'expires_at' && field === null && slug === undefined);
    const fields = Object.fromEntries(Object.entries(body).filter(isStored));
    if (slug !== undefined) {
      const sharing = this.#bodies.readReplace({ ...body, html: noHtml });
      const { expiresAt = null } = sharing;
      const target = { slug, revs: readRevisions(if_match) };
      return { request: { target, fields }, details: { passcode: null, expiresAt, sharing } };
    }
    const alone = ['if_match', 'people_add', 'people_remove', ...Object.keys(resolvesFields)].find(
      (name) => body[name] !== undefined,
    );
    if (alone !== undefined) throw withoutSlug(alone);
    const input = this.#bodies.readUntitled({ passcode: body.passcode, ...fields, html: noHtml });
    const { passcode, expiresAt } = input;
    return { request: { target: null, fields }, details: { passcode, expiresAt, sharing: input } };
  }

  /** The input of a new drop, once its document has arrived. */
  toCreate({ fields, lock }: Pick<UploadRequest, 'fields' | 'lock'>, html: Uint8Array): UntitledDropInput {
    return { ...this.#bodies.readUntitled({ ...fields, html: noHtml }), html, lock };
  }

  /** The input of a new version, once its document has arrived. */
  toReplace({ fields }: Pick<UploadRequest, 'fields'>, html: Uint8Array): NewVersionInput {
    return { ...this.#bodies.readReplace({ ...fields, html: noHtml }), html };
  }
}

/** The context that came with the request for the upload. */
export function contextOf({ fields }: Pick<UploadRequest, 'fields'>): Uint8Array | null {
  return typeof fields.context === 'string' ? Buffer.from(fields.context) : null;
}

function htmlComesLater(): DropError {
  const message = 'html must not be in this body: PUT the document to the upload_url of the answer';
  return new DropError('invalid_arg', message, { field: 'html' });
}

function withoutSlug(field: string): DropError {
  const message = field.startsWith('people')
    ? `${field} needs slug: for a new drop send people`
    : `${field} needs slug: a new drop has neither an ETag nor comments`;
  return new DropError('invalid_arg', message, { field });
}

const sample = 'https://drops.example/u/7VgtJt0pDdvDZbqS2q5qzu0HxOq1cX9b';

export const uploadShape = named(
  'Upload',
  fields({
    upload_url: addressShape(
      'Where the document goes. Everybody who knows it can publish for you: keep it secret.',
      sample,
    ),
    expires_at: timeShape('When the address expires, 10 minutes after the request.'),
    method: exactShape('How to send the document.', 'PUT'),
    curl: textShape('The same as a command line; replace page.html by your file.', {
      examples: [`curl -sS --fail-with-body -T page.html ${sample}`],
    }),
  }),
);

export function presentUpload(
  { secret, expiresAt }: { secret: string; expiresAt: number },
  baseUrl: string,
): Wire<typeof uploadShape> {
  const upload_url = `${baseUrl}/u/${secret}`;
  return {
    upload_url,
    expires_at: expiresAt,
    method: 'PUT',
    curl: `curl -sS --fail-with-body -T page.html ${upload_url}`,
  };
}
