import { defaultTreeAdapter } from 'parse5';
import { type Scan, type ScanLimits, scanHead } from './scan.ts';
import { areAlike, attributeOf } from './tree.ts';

/** Where head of any ordinary document begins, and how much of it is looked at. */
const ordinary = { bytes: 64 * 1024, steps: 2_000, tokens: 5_000 };
/** For the event loop: at most 3 ms for any document, as `planSafely`. */
const safe = { bytes: 4 * 1024, steps: 300, tokens: 600 };

const byteOrderMark = [0xef, 0xbb, 0xbf];
/** Stands for the script in the check. */
const sample = '<script data-dropleaf></script>';

/**
 * Puts a script before everything else in head: after `<head>`, or where head is implied before the token that implies it. Nothing
 * else of the tree changes, not even its quirks mode. @param script one element of ASCII, whose text ends nowhere but at its end
 * @returns the document itself if its first 64 KiB have no such place
 */
export function putFirstInHead(html: Uint8Array, script: Uint8Array): Uint8Array {
  return insert(html, script, ordinary);
}

/** For the event loop: the place must be in the first 4 KiB. */
export function putFirstInHeadSafely(html: Uint8Array, script: Uint8Array): Uint8Array {
  return insert(html, script, safe);
}

function insert(html: Uint8Array, script: Uint8Array, effort: typeof ordinary): Uint8Array {
  const at = findPlace(html, effort);
  return at === null ? html : Buffer.concat([html.subarray(0, at), script, html.subarray(at)]);
}

function findPlace(html: Uint8Array, { bytes, ...limits }: typeof ordinary): number | null {
  const skipped = byteOrderMark.every((byte, index) => html[index] === byte) ? byteOrderMark.length : 0;
  const start = Buffer.from(html.buffer, html.byteOffset, Math.min(html.byteLength, bytes));
  // latin1: offsets are byte offsets (insertion.ts).
  const text = start.toString('latin1', skipped);
  const isPartial = html.byteLength > bytes;
  const scan = scanHead(text, { ...limits, chunk: 2_048, isPartial });
  const place = scan.offsets.toSorted((a, b) => a - b).find((at) => isRight(text, scan, at, isPartial));
  return place === undefined ? null : skipped + place;
}

/** Whether the script is the first child of head there, and the tree without it is the document's own. */
function isRight(text: string, scan: Scan, at: number, isPartial: boolean): boolean {
  const limits: ScanLimits = {
    steps: scan.steps + 20,
    isPartial: isPartial || scan.read < text.length,
    ...(scan.stop === 'limit' && { until: scan.stoppedAt + sample.length }),
  };
  const page = scanHead(text.slice(0, at) + sample + text.slice(at, scan.read), limits);
  const [first] = page.head?.childNodes ?? [];
  if (page.stop !== scan.stop || first === undefined) return false;
  if (attributeOf(first, 'script', 'data-dropleaf') === null) return false;
  defaultTreeAdapter.detachNode(first);
  return areAlike(scan.document, page.document);
}
