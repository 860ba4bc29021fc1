import type { Config } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { NewVersionInput } from '../../shared/drops/drops.ts';
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

/** The body of POST /api/uploads, which is checked as that of the POST or PUT that it stands for. */
export function createUploadReaders(config: Config) {
  const bodies = new DropBodyReaders(config);
  const target = {
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
  const { untitled, replace } = bodies.schemas;
  const { expires_at } = replace.fields;
  const schema = untitled.omit(['html']).shape({ ...target, ...resolvesFields, expires_at });
  const targetSchema = jsonObject(target);
  const stored = Object.keys(schema.fields).filter(
    (name) => !['passcode', ...Object.keys(target)].includes(name),
  );

  return {
    schema,

    /** @throws DropError as the POST or PUT would, and `invalid_arg` for html */
    read(value: unknown): {
      request: Omit<UploadRequest, 'lock'>;
      details: { passcode: string | null; expiresAt: number | null };
    } {
      const { slug, if_match } = validate(targetSchema, value);
      const body = value as Record<string, unknown>; // proof: the schema of an object has accepted it
      if (Object.hasOwn(body, 'html')) throw htmlComesLater();
      // null removes the time of a drop; a new one has none.
      const isStored = ([name, field]: [string, unknown]) =>
        stored.includes(name) && !(name === 'expires_at' && field === null && slug === undefined);
      const fields = Object.fromEntries(Object.entries(body).filter(isStored));
      if (slug !== undefined) {
        const { expiresAt = null } = bodies.readReplace({ ...body, html: noHtml });
        const target = { slug, revs: readRevisions(if_match) };
        return { request: { target, fields }, details: { passcode: null, expiresAt } };
      }
      const alone = ['if_match', ...Object.keys(resolvesFields)].find((name) => body[name] !== undefined);
      if (alone !== undefined) throw withoutSlug(alone);
      const { passcode, expiresAt } = bodies.readUntitled({
        passcode: body.passcode,
        ...fields,
        html: noHtml,
      });
      return { request: { target: null, fields }, details: { passcode, expiresAt } };
    },

    toCreate({ fields, lock }: Pick<UploadRequest, 'fields' | 'lock'>, html: Uint8Array): UntitledDropInput {
      return { ...bodies.readUntitled({ ...fields, html: noHtml }), html, lock };
    },

    contextOf: ({ fields }: Pick<UploadRequest, 'fields'>): Uint8Array | null =>
      typeof fields.context === 'string' ? Buffer.from(fields.context) : null,

    toReplace({ fields }: Pick<UploadRequest, 'fields'>, html: Uint8Array): NewVersionInput {
      return { ...bodies.readReplace({ ...fields, html: noHtml }), html };
    },
  };
}

function htmlComesLater(): DropError {
  const message = 'html must not be in this body: PUT the document to the upload_url of the answer';
  return new DropError('invalid_arg', message, { field: 'html' });
}

function withoutSlug(field: string): DropError {
  const message = `${field} needs slug: a new drop has neither an ETag nor comments`;
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
