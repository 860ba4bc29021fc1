import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { tokenIdPattern } from '../../shared/domain/token.ts';

/** The slug of an API path. @throws DropError `invalid_slug` */
export function readSlug(req: Request): string {
  const slug = param(req, 'slug');
  if (slugPattern.test(slug)) return slug;
  throw new DropError('invalid_slug', 'A slug has 1 to 64 letters, digits, "_" and "-".', { field: 'slug' });
}

/** The version number of an API path: an integer from 1 on. @throws DropError `invalid_arg` */
export function readVersionNumber(req: Request): number {
  const number = toPositiveInteger(param(req, 'n'));
  if (number !== null) return number;
  throw new DropError('invalid_arg', 'A version number is an integer from 1 on.', { field: 'n' });
}

/** A token's id: 12 hex digits. @throws DropError `invalid_arg` */
export function readTokenId(req: Request): string {
  const id = param(req, 'id');
  if (tokenIdPattern.test(id)) return id;
  throw new DropError('invalid_arg', "A token's id has 12 characters of 0-9 and a-f.", { field: 'id' });
}

/** As many as fifteen digits say. */
export const maxVersionNumber = 999_999_999_999_999;

/** Digits only, and what they say is at least 1 and exact; null for anything else. */
export function toPositiveInteger(text: string | null | undefined): number | null {
  if (text == null || !/^\d{1,15}$/.test(text)) return null;
  return Number(text) || null;
}

/** A segment of the path as it was sent (app.ts sees to it that nothing is decoded). */
function param(req: Request, name: string): string {
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}
