import { trimEndOf } from '../../shared/util/trim.ts';

/** What some system refuses in names, and what cannot be seen, but for the joiners of Persian, Hindi and emoji. */
const forbidden = /[\s<>:"/\\|?*\p{Cc}]+/gu;
const unseen = /(?![\u200c\u200d])\p{C}/gu;
const leading = /^[ .~-]+/;
const lettersOrDigits = /[\p{L}\p{N}]/u;
/** Windows takes these for devices, also with an extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i;

/** UTF-16 units. So many take 240 bytes of UTF-8 at most; systems accept 255 for a whole name. */
const maxLength = 80;
const characters = new Intl.Segmenter();

/** A title as the name of a file or folder on every system. @param slug the name if the title has no letters and digits */
export function fileNameOf(title: string, slug: string): string {
  const seen = title.normalize('NFC').replace(forbidden, ' ').replace(unseen, '').replace(leading, '');
  let name = '';
  for (const { segment } of characters.segment(seen)) {
    if (name.length + segment.length > maxLength) break;
    name += segment;
  }
  name = trimEndOf(name.replace(leading, ''), ' .-');
  if (!lettersOrDigits.test(name)) return slug;
  return device.test(name) ? `_${name}` : name;
}

/** Without accents; characters of other scripts are left out. */
function toAscii(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]+|%/gu, ' ');
}

/**
 * The `Content-Disposition` of a download (RFC 6266): an ASCII name for old programs, and the whole one as RFC 8187 encodes it.
 * @param rest what follows the title: ASCII, with the extension
 */
export function attachment({ title, slug }: { title: string; slug: string }, rest: string): string {
  const name = fileNameOf(title, slug) + rest;
  const ascii = fileNameOf(toAscii(fileNameOf(title, slug)), slug) + rest;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"${name === ascii ? '' : `; filename*=UTF-8''${encoded}`}`;
}
