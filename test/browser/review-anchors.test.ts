import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadAssets } from '../../api/html/assets.ts';
import type { Quote } from '../../shared/comments/anchor.ts';
import { comparable } from '../../shared/comments/compared-text.ts';
import { findQuotes, type SoughtQuote } from '../../shared/html/quotes.ts';
import { SourceText } from '../../shared/html/source-text.ts';
import { createRandom, isLarge, makeDocument } from './anchor-documents.ts';
import { anchorChannel, anchorHarness } from './anchor-harness.ts';
import { useBrowser } from './browser.ts';

/** More by hand, which takes minutes: SEED=5 DOCUMENTS=200 npm test -- test/browser/review-anchors.test.ts */
const { SEED = '27', DOCUMENTS = '50' } = process.env;
const seed = Number(SEED);
const documents = Number(DOCUMENTS);
const selectionsOfEach = 10;
const kindsOfEdits = 46;
/** Of the outcomes with `isSure`, so many at least are found. Missing are quotes in lines that are the same as others: 0.95 is the aim. */
const leastFound = 0.94;

type Outcome = 'right' | 'missing' | 'wrong';
type Sums = Record<Outcome | 'lost' | 'sure' | 'sureFound', number>;

/** What the frame reported of a selection. */
type Described = Quote & { readonly position: number };

/** What test/browser/anchor-harness.ts says of each selection after an edit. */
interface Edited {
  readonly name: string;
  /** The source of the document as it is now. */
  readonly html: string;
  /** `text`: of the place that the page has found; null: none. */
  readonly outcomes: readonly {
    readonly outcome: Outcome;
    readonly isLeft: boolean;
    readonly text: string | null;
  }[];
  readonly wrong: readonly object[];
}

describe('Anchors of comments', () => {
  const browser = useBrowser();
  const assets = loadAssets();
  const script = assets.find(basename(assets.pathOf('framed.js')))?.bytes;
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const number = /^\/(\d+)$/.exec(url)?.[1];
    const document = number === undefined ? '' : makeDocument(seed, Number(number));
    response.end(document.replace('<style>', () => `<script data-viewer>${script}</script><style>`));
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Selects in a document. @returns what became of each selection in the document as it is */
  async function select(page: Page, number: number) {
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    await page.goto(`http://127.0.0.1:${port}/${number}`);
    await page.waitForFunction("!document.querySelector('#chart:empty')");
    await page.evaluate(anchorHarness);
    const picks = await page.evaluate<{ anchor: Described; text: string }[]>(
      `harness.select(${selectionsOfEach}, ${seed * 1_000 + number})`,
    );
    for (const { anchor, text } of picks) expect(anchor, `${number}: ${text}`).to.be.an('object');
    const html = await page.evaluate<string>('document.documentElement.outerHTML');
    const anchors = picks.map(({ anchor }) => anchor);
    const own = search(html, anchors);
    expect(
      own?.map((found) => withoutLine(found.own?.standing)),
      `${number}`,
    ).to.deep.equal(anchors.map(({ standing }) => withoutLine(standing)));
    return { html, anchors, own: await page.evaluate<Outcome[]>('harness.own()') };
  }

  it(`${documents * selectionsOfEach} selections in ${documents} documents come back to the same range; after each of ${kindsOfEdits} kinds of edits each is right or missing`, async function () {
    this.timeout(1_800_000);
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(anchorChannel);
    const own: Outcome[] = [];
    const edits = new Map<string, Sums>();
    const wrong: object[] = [];
    /** Where the worker, which has the source alone, says something else than the page. */
    const differing: object[] = [];
    for (let number = 0; number < documents; number++) {
      const { html, anchors, own: found } = await select(page, number);
      own.push(...found);
      const before = sourceOf(html);
      const random = createRandom(seed * 7 + number);
      for (let kind = 0; kind < kindsOfEdits; kind++) {
        if (isLarge(number) && kind % 8 !== 0) continue; // each takes two seconds
        const target = random(selectionsOfEach);
        const edited = await page.evaluate<Edited>(`harness.edit(${kind}, ${target}, ${random(1e6)})`);
        const areSure = anchors.map((anchor) => isSure(anchor, before, sourceOf(edited.html)));
        edits.set(edited.name, add(edits.get(edited.name), edited, areSure));
        differing.push(...differencesOf(number, edited, anchors));
        wrong.push(...edited.wrong.map((one) => ({ number, edit: edited.name, ...one })));
      }
    }
    report(edits, own, wrong.length);
    for (const one of [...wrong, ...differing].slice(0, 50)) process.stdout.write(`${JSON.stringify(one)}\n`);
    expect(own.filter((outcome) => outcome !== 'right')).to.deep.equal([]);
    expect(wrong).to.deep.equal([]);
    expect(differing).to.deep.equal([]);
    const sum = (key: keyof Sums) => [...edits.values()].reduce((all, sums) => all + sums[key], 0);
    expect(sum('sureFound') / sum('sure')).to.be.at.least(leastFound);
    expect(edits.size).to.equal(kindsOfEdits);
  });
});

/** What the worker says. `position`: null of quotes of another version. */
function search(html: string, anchors: readonly SoughtQuote[]) {
  return findQuotes({ html: Buffer.from(html), quotes: anchors, budgetMs: 60_000 });
}

function sourceOf(html: string): string {
  return SourceText.read(html, { expired: () => false })?.text ?? '';
}

/** Only a page knows the lines of texts in drawings. */
function withoutLine(standing: Quote['standing'] | undefined) {
  return { ...standing, line: [] };
}

/** Whether the text stands once in both, or once with all of its context. */
function isSure({ quote, prefix, suffix }: Quote, before: string, after: string): boolean {
  const isOnce = (text: string, part: string) => text.split(comparable(part), 3).length === 2;
  return (isOnce(before, quote) && isOnce(after, quote)) || isOnce(after, prefix + quote + suffix);
}

function differencesOf(
  number: number,
  { name, html, outcomes }: Edited,
  anchors: readonly Described[],
): object[] {
  const found = search(
    html,
    anchors.map((anchor) => ({ ...anchor, position: null })),
  );
  return anchors.flatMap((anchor, n) => {
    const { isThere, changedTo } = found?.[n] ?? {};
    const worker = isThere ? anchor.quote : (changedTo ?? null);
    const page = outcomes[n]?.text ?? null;
    const isSame =
      worker === null || page === null ? worker === page : comparable(page).includes(comparable(worker)); // it has whole ligatures
    return isSame ? [] : [{ number, edit: name, anchor, worker, page }];
  });
}

const none: Sums = { right: 0, missing: 0, wrong: 0, lost: 0, sure: 0, sureFound: 0 };

function add(before: Sums = none, { outcomes }: Edited, areSure: readonly boolean[]): Sums {
  const sums = { ...before };
  for (const [n, { outcome, isLeft }] of outcomes.entries()) {
    sums[outcome] += 1;
    if (outcome === 'missing' && isLeft) sums.lost += 1;
    if (!areSure[n]) continue;
    sums.sure += 1;
    if (outcome === 'right') sums.sureFound += 1;
  }
  return sums;
}

function report(edits: ReadonlyMap<string, Sums>, own: readonly Outcome[], wrong: number): void {
  const lines = [...edits].map(
    ([name, { right, missing, lost, sure, sureFound }]) =>
      `${name}: ${right} right, ${missing} missing (of ${lost} the text is left), ${sureFound} of ${sure} that stand once`,
  );
  const sum = (key: keyof Sums) => [...edits.values()].reduce((all, sums) => all + sums[key], 0);
  const same = own.filter((outcome) => outcome === 'right').length;
  process.stdout.write(`seed ${seed}: ${same} of ${own.length} come back. ${lines.join('\n')}
all edits: ${sum('right')} right, ${sum('missing')} missing (of ${sum('lost')} the text is left), ${wrong} wrong; of those that stand once, or once with their context, ${sum('sureFound')} of ${sum('sure')} are found\n`);
}
