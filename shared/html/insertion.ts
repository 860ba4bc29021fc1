import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
import { fluid, inCells } from './declared-pictures.ts';
import { type Pictures, readPictures } from './picture-rules.ts';
import { type Scan, type ScanLimits, scanHead } from './scan.ts';
import { areAlike, attributeOf } from './tree.ts';

/** Increase it with every change that inserts something else or elsewhere, or renders contexts in another way. */
export const rendererVersion = 3;

/** What is inserted into a document, and where. All other bytes stay as they are. */
export interface RenderPlan {
  readonly renderer: number;
  /** The byte offset of the insertion. */
  readonly insertAt: number;
  /** '' if the document has our style already, or has no place for it. ASCII only. */
  readonly insertion: string;
}

export interface NewPlan extends RenderPlan {
  /** Whether the whole head was parsed, and all pictures read: a larger budget would give the same plan. */
  readonly isFullyParsed: boolean;
}

/** How much of the document may be parsed; each part has a default. */
export interface RenderBudget extends Partial<Pick<ScanLimits, 'steps' | 'tokens' | 'expired' | 'chunk'>> {
  /** Called during the check of an offset, as `expired` is during the scan; true stops the check. Default: never. */
  readonly late?: () => boolean;
}

/** Far more than ordinary heads need. */
const defaultSteps = 20_000;
/** More steps than the insertion itself takes. */
const insertionSteps = 20;
const safeBytes = 4 * 1024;
const safeLimits = { steps: 300, tokens: 600 };

const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * Plans the page of a document (spec 4.5): a style at the end of head and, if head has none, a viewport meta; nothing else
 * changes, not even its quirks mode. If the budget stops the scan, the plan uses the last offset found, or `planSafely` if
 * there is no time to check that one. Nothing is inserted if the document, or the budget, ends before head begins.
 * @param budget of the scan, and of the look for pictures after it. The check of the result may take as long again, and is
 * limited by `late`
 */
export function planRender(html: Uint8Array, { late, ...budget }: RenderBudget = {}): NewPlan {
  const reading = read(html, { steps: defaultSteps, ...budget });
  if (late === undefined) return choose(reading) ?? planNothing(reading);
  return choose(reading, late) ?? (late() ? planSafely(html) : planNothing(reading));
}

/** Plans with the first 4 KiB alone. It takes at most 3 ms for any document, so the event loop may call it. */
export function planSafely(html: Uint8Array): NewPlan {
  const reading = readSafely(html);
  return choose(reading) ?? planNothing(reading);
}

function readSafely(html: Uint8Array): Reading {
  return read(html.subarray(0, safeBytes), { ...safeLimits, isPartial: html.length > safeBytes });
}

export function applyPlan(html: Uint8Array, plan: RenderPlan): Uint8Array {
  if (plan.insertion === '') return html;
  const { insertAt, insertion } = plan;
  return Buffer.concat([html.subarray(0, insertAt), Buffer.from(insertion), html.subarray(insertAt)]);
}

/**
 * The document with a script before all else in its head, so that no policy of the document concerns the script, and with a
 * viewport if the document has none; at the end if the first 4 KiB have no such place. The event loop may call it, as `planSafely`.
 */
export function insertFirst(html: Uint8Array, script: string): Uint8Array {
  const reading = readSafely(html);
  const insertion = withViewport(reading.scan.head?.childNodes ?? [], script);
  const offset = Math.min(...reading.scan.offsets);
  const count = insertion === script ? 1 : 2;
  const remove = (head: Dom.Element) => head.childNodes.splice(0, count).length === count;
  if (!Number.isFinite(offset) || !isAlikeWithout(remove, reading, offset, insertion))
    return Buffer.concat([html, Buffer.from(script)]);
  return applyPlan(html, { renderer: rendererVersion, insertAt: reading.skipped + offset, insertion });
}

interface Reading {
  /** Without a byte order mark, which browsers drop and parse5 takes for text of body. */
  readonly text: string;
  /** Length of the byte order mark. */
  readonly skipped: number;
  readonly isPartial: boolean;
  readonly scan: Scan;
  readonly pictures: Pictures;
}

function read(html: Uint8Array, limits: ScanLimits): Reading {
  const skipped = byteOrderMark.every((byte, index) => html[index] === byte) ? byteOrderMark.length : 0;
  // latin1: only ASCII has a meaning in HTML, offsets are then byte offsets, and malformed UTF-8 does no harm.
  const text = Buffer.from(html.buffer, html.byteOffset, html.byteLength).toString('latin1', skipped);
  const { isPartial = false, expired = never } = limits;
  const scan = scanHead(text, limits);
  return { text, skipped, isPartial, scan, pictures: readPictures(text, expired) };
}

function never(): boolean {
  return false;
}

/** @returns null if no offset is right, or there is no time to check one */
function choose(reading: Reading, late?: () => boolean): NewPlan | null {
  const children = reading.scan.head?.childNodes ?? [];
  if (children.some(isOurStyle)) return planNothing(reading);
  const insertion = withViewport(children, defensiveStyle(reading.pictures));
  const remove = (head: Dom.Element) => removeInsertion(head, insertion);
  const isRight = (offset: number) => isAlikeWithout(remove, reading, offset, insertion, late);
  const offset = reading.scan.offsets.find(isRight);
  if (offset === undefined) return null;
  return { ...planNothing(reading), insertAt: reading.skipped + offset, insertion };
}

function planNothing({ scan, pictures }: Reading): NewPlan {
  const isFullyParsed = scan.stop === 'body' && !pictures.isLate;
  return { renderer: rendererVersion, insertAt: 0, insertion: '', isFullyParsed };
}

/** Whether the page's tree without our nodes is the document's own tree. @param remove takes them out; false: they are not there */
function isAlikeWithout(
  remove: (head: Dom.Element) => boolean,
  { text, isPartial, scan }: Reading,
  offset: number,
  insertion: string,
  late?: () => boolean,
): boolean {
  const page = scanHead(text.slice(0, offset) + insertion + text.slice(offset, scan.read), {
    steps: scan.steps + insertionSteps,
    isPartial: isPartial || scan.read < text.length,
    ...(late && { expired: late }),
    ...(scan.stop === 'limit' && { until: scan.stoppedAt + insertion.length }),
  });
  return (
    page.stop === scan.stop &&
    page.head !== null &&
    remove(page.head) &&
    areAlike(scan.document, page.document)
  );
}

/** Marks our style: a page that was saved from here and uploaded again gets no second one. */
const styleMark = 'data-dropleaf';
const styleStart = `<style ${styleMark}>`;

/** Boxes of a size, which show a part of the picture in them; those of a share of the window may show it whole. */
const clips =
  ':where([style*="overflow:hidden"],[style*="overflow: hidden"]):where([style*="width:"]:not([style*="-width:"],[style*="100%"]))';

/**
 * The defensive style of spec 4.5, for screens: on paper browsers shrink what is too wide. It loses to every rule of the owner:
 * `:where` has no specificity, and the layer comes before all others that the document has. `overflow-x: hidden` is for browsers
 * without `clip`; `clip` does not disturb sticky elements and scrolling.
 */
export function defensiveStyle({ rules, firstLayer }: Omit<Pictures, 'isLate'>): string {
  const layer = firstLayer === null ? 'dropleaf' : `${firstLayer}.dropleaf`;
  const all = [
    ':where(html,body){max-width:100vw;overflow-x:hidden;overflow-x:clip}',
    `:where(img,svg,video,iframe){${fluid}}`,
    inCells,
    ':where(pre,table){max-width:100%}',
    ':where(pre){overflow-x:auto}',
    rules,
    `:where(${clips}>*){max-width:none}`,
  ];
  return `${styleStart}@media screen{@layer ${layer}{${all.join('')}}}</style>`;
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

function withViewport(nodesOfHead: readonly Dom.ChildNode[], insertion: string): string {
  return nodesOfHead.some(isViewport) ? insertion : viewport + insertion;
}

function isOurStyle(node: Dom.ChildNode): boolean {
  return attributeOf(node, 'style', styleMark) !== null;
}

function isViewport(node: Dom.ChildNode): boolean {
  return attributeOf(node, 'meta', 'name')?.toLowerCase() === 'viewport';
}

/** @returns false if our nodes are missing or not next to each other */
function removeInsertion(head: Dom.Element, insertion: string): boolean {
  const count = insertion.startsWith(viewport) ? 2 : 1;
  const first = head.childNodes.findIndex(isOurStyle) + 1 - count;
  const removed = first < 0 ? [] : head.childNodes.splice(first, count);
  return removed.length === count && (count === 1 || removed.some(isViewport));
}
