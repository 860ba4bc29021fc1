const busy = 5; // SQLITE_BUSY, https://sqlite.org/rescode.html

/** Whether another process held the database for longer than this one waits. */
export function isBusy(error: unknown): boolean {
  // The low byte is the primary code, whatever variant of it was met.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy;
}
