import { type ObjectShape, object } from 'yup';
import type { DetailChanges } from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Document, NewDropInput } from '../../shared/services/drops.ts';
import { invalid, validate } from '../http/validate.ts';
import {
  context,
  description,
  type FieldLimits,
  metadata,
  passcode,
  requiredHtml,
  requiredPasscode,
  requiredTitle,
  title,
} from './fields.ts';

/** The bodies of the drop endpoints (spec 4.4), each read into what its service takes. */
export function createDropRequests(limits: FieldLimits) {
  const created = body({
    title: requiredTitle(limits),
    html: requiredHtml(limits),
    description: description(limits),
    passcode: passcode(limits),
    context: context(limits),
    metadata: metadata(limits),
  });
  const replaced = body({
    html: requiredHtml(limits),
    title: title(limits),
    description: description(limits),
    context: context(limits),
    metadata: metadata(limits),
  });
  const patched = body({
    title: title(limits),
    description: description(limits),
    metadata: metadata(limits),
  });
  const gated = body({ passcode: requiredPasscode(limits) });

  return {
    /** What each body is checked by, for the published description. */
    schemas: { created, replaced, patched, gated },

    /** POST /api/drops */
    readCreate(value: unknown): NewDropInput {
      const fields = validate(created, value);
      return {
        ...readDocument(fields),
        title: fields.title.toWellFormed(),
        description: fields.description?.toWellFormed() || null,
        metadata: readMetadata(fields.metadata ?? {}),
        passcode: fields.passcode?.toWellFormed() || null,
      };
    },

    /** PUT /api/drops/{slug} */
    readReplace(value: unknown): Document & DetailChanges {
      refusePasscode(value);
      const fields = validate(replaced, value);
      return { ...readDocument(fields), ...readChanges(fields) };
    },

    /** PATCH /api/drops/{slug}. @throws DropError `metadata_only_on_patch` for any `html`, before all else */
    readPatch(value: unknown): DetailChanges {
      if (hasField(value, 'html')) {
        throw new DropError('metadata_only_on_patch', 'PATCH changes no html: PUT a new version.', {
          field: 'html',
        });
      }
      refusePasscode(value);
      return readChanges(validate(patched, value));
    },

    /** POST /api/drops/{slug}/passcode: '' removes the gate */
    readPasscode(value: unknown): string {
      return validate(gated, value).passcode.toWellFormed();
    },
  };
}

function body<Fields extends ObjectShape>(fields: Fields) {
  return object(fields)
    .typeError(invalid('The body must be a JSON object.'))
    .nonNullable(invalid('The body must be a JSON object.'));
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/** Ignored like an unknown field it would leave its sender to believe that the page is locked. */
function refusePasscode(value: unknown): void {
  if (!hasField(value, 'passcode')) return;
  const message = 'passcode is not changed here: send it to POST /api/drops/{slug}/passcode.';
  throw new DropError('invalid_arg', message, { field: 'passcode' });
}

function readDocument(fields: { html: string; context?: string | undefined }): Document {
  return { html: fields.html.toWellFormed(), context: fields.context?.toWellFormed() || null };
}

function readChanges(fields: {
  title?: string | undefined;
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
}): DetailChanges {
  return {
    ...(fields.title !== undefined && { title: fields.title.toWellFormed() }),
    ...(fields.description !== undefined && { description: fields.description.toWellFormed() || null }),
    ...(fields.metadata !== undefined && { metadata: readMetadata(fields.metadata) }),
  };
}

function readMetadata(fields: Record<string, string>): Map<string, string> {
  return new Map(Object.entries(fields).map(([key, value]) => [key, value.toWellFormed()]));
}
