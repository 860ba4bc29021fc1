import type { Code } from '../../shared/domain/errors.ts';

/** What each code of the envelope means, in the description's table of them. */
export const meanings: Readonly<Record<Code, string>> = {
  unauthorized: 'No bearer token was sent. On `/api/me` also: the token is not good.',
  invalid_token: 'The bearer token is malformed, unknown or revoked.',
  token_required: 'The poll has no `token`.',
  forbidden:
    'The account is suspended, the page was taken down, or a web page of another origin sent the request.',
  not_found: 'There is no such drop, version or token, or it belongs to another account.',
  version_not_found: 'The page has no version of that number.',
  invalid_slug: 'The slug in the path has characters that no slug has, or too many.',
  invalid_json:
    'The body is not JSON in UTF-8, is nested too deep or has too many members (400), or its type or encoding is not accepted (415).',
  invalid_arg: 'Another field, parameter or header is wrong: `details.field` names it.',
  html_required: '`html` is missing or empty.',
  html_too_large: '`html`, or the body as a whole, has too many bytes.',
  title_required: '`title` is missing or blank.',
  title_too_long: '`title` has too many characters.',
  description_too_long: '`description` has too many characters.',
  context_too_large: '`context` has too many bytes.',
  passcode_required: '`passcode` is missing or no string (400), or the page is locked (403).',
  passcode_too_short: '`passcode` has too few characters.',
  metadata_only_on_patch: 'The PATCH has `html`: PUT makes a new version.',
  last_version_cannot_be_deleted: 'The drop has only this version: delete the drop instead.',
  version_limit_reached: 'The drop has as many versions as it may have.',
  rate_limited: 'Too many requests of this kind in this minute.',
  daily_quota_exceeded: 'The writes of this UTC day are used up.',
  quota_exceeded: 'The account has as many drops as it may have.',
  internal_error: 'The service failed.',
  unavailable: 'A part of the service is away or overloaded, or the request took too long.',
};
