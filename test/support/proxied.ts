/** What proxies that compress append to an entity tag. */
export const proxied = [
  '-gzip',
  '-br',
  '--gzip',
  ';gzip',
  ';br',
  '-zstd',
  '-deflate',
  ':gzip',
  '-x-gzip',
  '-GZIP',
];

/** The tag as a client has it behind such a proxy. @param etag with its quotes */
export function withSuffix(etag: string, suffix = '-gzip'): string {
  return etag.replace(/"$/, `${suffix}"`);
}
