/** What somebody hostile sends, and the one right answer. `{slug}`, `{locked}`, `{token}` stand for what there is. */
export interface HostileCase {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  /** Whole lines. Host, the owner's token, and JSON's type and length are sent unless there is a line for them. */
  readonly headers?: readonly string[];
  /** Sends no token. */
  readonly isAnonymous?: boolean;
  /** What is sent as it is; made when it is needed, as some are large. */
  readonly body?: () => string | Uint8Array;
  readonly answer: Right;
}

export interface Right {
  readonly status: number;
  /** Unset: it is no error. */
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

/** As the tests are named: `400 invalid_arg, page`. */
export function describeRight({ status, code, field, header }: Right): string {
  return [[status, code].filter(Boolean).join(' '), field ?? header].filter(Boolean).join(', ');
}
