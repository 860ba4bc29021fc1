import type { DropError } from '../../shared/domain/errors.ts';

export interface ErrorEnvelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** The envelope of every 4xx and 5xx (spec section 7). */
export function presentError(error: DropError): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}
