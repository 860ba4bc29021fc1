import { DropError, isLate } from '../../shared/domain/errors.ts';

/**
 * The error of a tool. Sentences of the services that name headers of the API are said with the names of arguments, by code;
 * of what does not exist a tool says also which tools list it.
 */
export function inWordsOfTools(error: unknown): unknown {
  if (!(error instanceof DropError)) return error;
  const { code, message, details } = error;
  switch (code) {
    case 'not_found':
      return reworded(
        error,
        `${message}: list_drops lists the drops, list_versions the versions of one, list_comments the comments`,
      );
    case 'version_conflict':
      return reworded(
        error,
        `The drop was changed meanwhile: its latest version is ${details?.latest_version}. Read it, apply your change to what it is now, and send that with its etag in if_match`,
      );
    case 'idempotency_key_reused':
      return reworded(
        error,
        'This idempotency_key was used for another request in the last 24 hours: use a new key',
        'idempotency_key',
      );
    case 'unavailable':
      return isLate(error) ? reworded(error, late) : error;
    default:
      return error;
  }
}

const late =
  'Database timeout; a write may still complete. If it had an idempotency_key, a repeat with the same key finds it and does it once.';

/** @param field the argument that is wrong; absent: as the error says */
function reworded(error: DropError, message: string, field?: string): DropError {
  const details = field === undefined ? error.details : { ...error.details, field };
  return new DropError(error.code, message, details, { cause: error });
}
