import { holdsStyle, holdsViewport, insertionFor, removeInsertion } from './insertion.ts';
import { type Scan, type ScanLimits, scanHead } from './scan.ts';
import { areAlike } from './trees.ts';

/** Rises when the code below would place or say anything differently. */
export const rendererVersion = 2;

/** What serving adds to a document, and where. Everything else is the owner's, byte for byte. */
export interface RenderPlan {
  readonly renderer: number;
  /** Bytes of the document that stand before the insertion. */
  readonly insertAt: number;
  /** '' where the document holds our style already, or where nothing can be put without harm. */
  readonly insertion: string;
}

/** A plan as it is made. */
export interface NewPlan extends RenderPlan {
  /** Whether the head was read to its end: with more time the plan would be the same. */
  readonly isWhole: boolean;
}

/** Far more than heads have; less than what makes a hostile one slow. */
const defaultSteps = 20_000;
/** What the insertion itself adds to a scan, generously. */
const insertionSteps = 20;
/** What `planSafely` looks at. */
const safeBytes = 4 * 1024;
const safeLimits = { steps: 300, tokens: 600 };

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** How much of the document the plan may look at; each part has a default. */
export interface RenderBudget extends Partial<Pick<ScanLimits, 'steps' | 'tokens' | 'expired' | 'piece'>> {
  /** Asked as `expired` is, while a place is checked; true: there is no time left for it. Absent: there always is. */
  readonly late?: () => boolean;
}

/**
 * Plans the page of a document (spec 4.5): the defensive style at the end of head, and a viewport meta if head
 * has none. Nothing else of the document changes, its mode (quirks) included. Where the budget ends the scan
 * early, the last place that was found by then is taken, and where it cannot be checked any more, that of
 * `planSafely`. Where there is no place (a document that ends inside the doctype or comment it begins with, or a
 * budget that ends before head begins), nothing is inserted.
 *
 * The bytes are read as one character each: all that means anything to an HTML parser is ASCII, offsets are
 * those of the bytes, and malformed UTF-8 does no harm. UTF-16 is not understood; uploads are UTF-8.
 * @param html the owner's bytes, with or without a byte order mark
 * @param budget for finding the plan, but for `late`; checking it may take as long again
 */
export function planRender(html: Uint8Array, { late, ...budget }: RenderBudget = {}): NewPlan {
  const reading = read(html, { steps: defaultSteps, ...budget });
  if (late === undefined) return choose(reading) ?? planNothing(reading);
  return choose(reading, late) ?? (late() ? planSafely(html) : planNothing(reading));
}

/**
 * A plan from the first 4 KiB alone: the last safe place in them. Two or three milliseconds at most, whatever the
 * document holds, so that the event loop may do it.
 */
export function planSafely(html: Uint8Array): NewPlan {
  const reading = read(html.subarray(0, safeBytes), { ...safeLimits, cut: html.length > safeBytes });
  return choose(reading) ?? planNothing(reading);
}

/** The page: the document with the plan's insertion. */
export function applyPlan(html: Uint8Array, plan: RenderPlan): Uint8Array {
  if (plan.insertion === '') return html;
  const { insertAt, insertion } = plan;
  return Buffer.concat([html.subarray(0, insertAt), Buffer.from(insertion), html.subarray(insertAt)]);
}

interface Reading {
  /** Without a byte order mark, which browsers drop and the parser would take for text of body. */
  readonly text: string;
  /** Bytes of the document before the text. */
  readonly skipped: number;
  readonly cut: boolean;
  readonly scan: Scan;
}

function read(html: Uint8Array, limits: ScanLimits): Reading {
  const skipped = byteOrderMark.every((byte, index) => html[index] === byte) ? byteOrderMark.length : 0;
  const text = Buffer.from(html.buffer, html.byteOffset, html.byteLength).toString('latin1', skipped);
  return { text, skipped, cut: limits.cut ?? false, scan: scanHead(text, limits) };
}

/** null: there is no place, or no time to check one. */
function choose(reading: Reading, late?: () => boolean): NewPlan | null {
  const children = reading.scan.head?.childNodes ?? [];
  if (holdsStyle(children)) return planNothing(reading);
  const insertion = insertionFor({ viewport: holdsViewport(children) });
  const place = reading.scan.places.find((candidate) => isRight(reading, candidate, insertion, late));
  if (place === undefined) return null;
  return { ...planNothing(reading), insertAt: reading.skipped + place, insertion };
}

function planNothing({ scan }: Reading): NewPlan {
  return { renderer: rendererVersion, insertAt: 0, insertion: '', isWhole: scan.stop === 'body' };
}

/** Whether parsing the page gives the document's own tree, and our nodes in its head. */
function isRight(
  { text, cut, scan }: Reading,
  place: number,
  insertion: string,
  late?: () => boolean,
): boolean {
  const page = scanHead(text.slice(0, place) + insertion + text.slice(place, scan.read), {
    steps: scan.steps + insertionSteps,
    cut: cut || scan.read < text.length,
    ...(late && { expired: late }),
    ...(scan.stop === 'limit' && { until: scan.stoppedAt + insertion.length }),
  });
  return (
    page.stop === scan.stop &&
    page.head !== null &&
    removeInsertion(page.head, insertion) &&
    areAlike(scan.document, page.document)
  );
}
