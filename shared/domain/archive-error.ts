/** Something is wrong with an archive. The message is a clause about it: `it is cut off after html/0198f…`. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
