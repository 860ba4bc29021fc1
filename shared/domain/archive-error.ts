/** Something is wrong with an archive. The message is a clause about it: `it is cut off after html/0198f…`. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** For a process or a backup that needs all data. @param begunAt Unix ms */
export function importHasNotEnded(archiveId: string, begunAt: number): Error {
  return new Error(
    `these data are incomplete: the import of the archive ${archiveId}, begun ${new Date(begunAt).toISOString()}, has not ` +
      'ended; run "bin/dropleaf.js import FILE" again with the same file',
  );
}
