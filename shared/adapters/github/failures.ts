import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';

/** What the token endpoint says of a code that is used, expired or another client's: GitHub's word, RFC 6749's. */
const badCodes: readonly string[] = ['bad_verification_code', 'invalid_grant'];

/** Whether the person refused at the provider. */
export function isRefusalByPerson(error: unknown): boolean {
  return error instanceof AuthorizationResponseError && error.error === 'access_denied';
}

/** Whether the provider refused the code that the browser brought. */
export function isBadCode(error: unknown): boolean {
  return error instanceof ResponseBodyError && badCodes.includes(error.error);
}

/**
 * What the log may have of a failure: names and statuses. Never the error itself: its `cause` can be an answer that
 * holds a token, or an address that holds a code.
 */
export function describeFailure(error: unknown): object {
  if (!(error instanceof Error)) return { failure: typeof error };
  const { name, message } = error;
  const cause = error.cause instanceof Error ? error.cause : null;
  return {
    failure: name,
    reason: message,
    ...('code' in error && { code: brief(error.code) }),
    ...('status' in error && { status: brief(error.status) }),
    ...('error' in error && { providerError: brief(error.error) }),
    ...(cause !== null && 'code' in cause && { cause: brief(cause.code) }), // fetch hides ECONNREFUSED there
  };
}

function brief(value: unknown): string {
  return String(value).slice(0, 100);
}
