/** Primary result codes, https://sqlite.org/rescode.html */
const busy = 5;
const constraint = 19;

/** The primary result code of SQLite; null: the error has none. */
export function resultCodeOf(error: unknown): number | null {
  // The low byte of an extended result code is the primary one.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;
}

/** Whether another process held the database for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === busy;
}

/** Whether a constraint of a table refused the row, for example a unique index. */
export function isConstraint(error: unknown): error is Error {
  return resultCodeOf(error) === constraint;
}
