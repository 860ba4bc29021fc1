/** A hostile request and the only right answer to it. `{slug}`, `{locked}` and `{token}` are replaced by real ones. */
export interface HostileCase {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  /** Whole lines. Host, the owner's token, and the type and length of a JSON body are added if they are missing. */
  readonly headers?: readonly string[];
  /** Sends no token. */
  readonly isAnonymous?: boolean;
  /** A function, because some bodies are large. */
  readonly body?: () => string | Uint8Array;
  readonly answer: Right;
}

export interface Right {
  readonly status: number;
  /** Absent: the answer is not an error. */
  readonly code?: string;
  /** What `details.field` names. */
  readonly field?: string;
  /** What `details.header` names. */
  readonly header?: string;
  /** A part of the answer's text. */
  readonly text?: string;
}

export function refused(status: number, code: string, where: Partial<Right> = {}): Right {
  return { status, code, ...where };
}

/** 400 that names the field. */
export function bad(field: string, code = 'invalid_arg'): Right {
  return refused(400, code, { field });
}

/** For titles of tests: `400 invalid_arg, page`. */
export function describeRight({ status, code, field, header }: Right): string {
  return [[status, code].filter(Boolean).join(' '), field ?? header].filter(Boolean).join(', ');
}
