const closers: (() => Promise<void>)[] = [];

/** What the tests of several files share is closed after the last file of the process (test/support/test-process.ts). */
export function atRunEnd(close: () => Promise<void>): void {
  closers.push(close);
}

/** Closes everything, the newest first. */
export async function endRun(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
