import type { Code } from '../../shared/domain/errors.ts';
import { jsonRule } from '../../shared/domain/json-shape.ts';
import type { ErrorEnvelope } from '../presenters/error.ts';

interface CodeNote {
  /** When an answer has the code. */
  readonly when: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What each code of the envelope means, with an answer of the kind. */
const notes: Readonly<Record<Code, CodeNote>> = {
  unauthorized: {
    when: 'No bearer token was sent.',
    message: 'Send the header "Authorization: Bearer <API_TOKEN>".',
  },
  invalid_token: {
    when: 'The bearer token is malformed, unknown or revoked.',
    message: 'The token is unknown or has been revoked.',
  },
  token_required: {
    when: 'The poll names no `token`.',
    message: 'token is required: the poll_token of the start.',
    details: { field: 'token' },
  },
  forbidden: { when: 'This may not be done, or not from there.', message: 'This may not be done.' },
  not_found: { when: 'There is none, or it is somebody else’s.', message: 'No such drop.' },
  version_not_found: {
    when: 'The page has no version of that number.',
    message: 'This page has no such version.',
  },
  invalid_slug: {
    when: 'The path holds what can be no slug.',
    message: 'A slug has 1 to 64 letters, digits, "_" and "-".',
    details: { field: 'slug' },
  },
  invalid_json: {
    when: 'The body is not JSON in UTF-8, is nested too deep or has too many members (400), or says that it is something else or compressed (415).',
    message: jsonRule,
  },
  invalid_arg: {
    when: 'Something else about the request is wrong: `details.field` names it.',
    message: 'metadata must have at most 10 keys.',
    details: { field: 'metadata', max_keys: 10 },
  },
  html_required: {
    when: '`html` is missing or empty.',
    message: 'html is required: the whole document.',
    details: { field: 'html' },
  },
  html_too_large: {
    when: '`html`, or the body as a whole, has too many bytes.',
    message: 'html must have at most 2097152 bytes.',
    details: { field: 'html', max_bytes: 2097152 },
  },
  title_required: {
    when: '`title` is missing or blank.',
    message: 'title is required.',
    details: { field: 'title' },
  },
  title_too_long: {
    when: '`title` has too many characters.',
    message: 'title must have at most 200 characters.',
    details: { field: 'title', max_length: 200 },
  },
  description_too_long: {
    when: '`description` has too many characters.',
    message: 'description must have at most 500 characters.',
    details: { field: 'description', max_length: 500 },
  },
  context_too_large: {
    when: '`context` has too many bytes.',
    message: 'context must have at most 65536 bytes.',
    details: { field: 'context', max_bytes: 65536 },
  },
  passcode_required: {
    when: 'A passcode is missing or wrong.',
    message: "passcode is required: '' removes the gate.",
    details: { field: 'passcode' },
  },
  passcode_too_short: {
    when: 'The passcode has too few characters.',
    message: 'passcode must have at least 4 characters; use 6 or more.',
    details: { field: 'passcode', min_length: 4 },
  },
  metadata_only_on_patch: {
    when: 'A PATCH holds `html`.',
    message: 'PATCH changes no html: PUT a new version.',
    details: { field: 'html' },
  },
  last_version_cannot_be_deleted: {
    when: 'The drop has this version alone.',
    message: 'The only version of a drop cannot be deleted: delete the drop.',
  },
  version_limit_reached: {
    when: 'The drop has all the versions that it may have.',
    message: 'The drop has 200 versions: delete one first.',
    details: { limit: 200, retry_after_seconds: 86400 },
  },
  rate_limited: {
    when: 'The minute’s requests of this kind, or the tries, are used up.',
    message: 'At most 60 writes a minute.',
    details: { limit: 60, retry_after_seconds: 20 },
  },
  daily_quota_exceeded: {
    when: 'The writes of this UTC day are used up.',
    message: 'At most 500 writes a day.',
    details: { limit: 500, retry_after_seconds: 3600 },
  },
  quota_exceeded: {
    when: 'The account has all the drops that it may have.',
    message: 'The account has 500 drops: delete one first.',
    details: { limit: 500, retry_after_seconds: 86400 },
  },
  internal_error: { when: 'The fault is ours.', message: 'Something went wrong on our side.' },
  unavailable: {
    when: 'A part is away or overloaded, or this took too long.',
    message: 'The database is busy.',
    details: { retry_after_seconds: 1 },
  },
};

export function whenOf(code: Code): string {
  return notes[code].when;
}

export function exampleOf(code: Code): ErrorEnvelope {
  const { message, details } = notes[code];
  return { error: details === undefined ? { code, message } : { code, message, details } };
}
