import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadAssets } from '../../api/html/assets.ts';
import { createRandom, isLarge, makeDocument } from './anchor-documents.ts';
import { anchorHarness } from './anchor-harness.ts';
import { useBrowser } from './browser.ts';

/** More by hand, which takes minutes: SEED=5 DOCUMENTS=200 npm test -- test/browser/review-anchors.test.ts */
const { SEED = '27', DOCUMENTS = '50' } = process.env;
const seed = Number(SEED);
const documents = Number(DOCUMENTS);
const selectionsOfEach = 10;
const kindsOfEdits = 40;

type Outcome = 'right' | 'missing' | 'wrong';
type Sums = Record<Outcome | 'lost', number>;

/** What test/browser/anchor-harness.ts says of each selection after an edit. */
interface Edited {
  readonly name: string;
  readonly outcomes: readonly { readonly outcome: Outcome; readonly isLeft: boolean }[];
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
    response.end(document.replace('<style>', () => `<script>${script}</script><style>`));
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
  async function select(page: Page, number: number): Promise<readonly Outcome[]> {
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    await page.goto(`http://127.0.0.1:${port}/${number}`);
    await page.waitForFunction("!document.querySelector('#chart:empty')");
    await page.evaluate(anchorHarness);
    const picks = await page.evaluate<{ anchor: unknown; text: string }[]>(
      `harness.select(${selectionsOfEach}, ${seed * 1_000 + number})`,
    );
    for (const { anchor, text } of picks) expect(anchor, `${number}: ${text}`).to.be.an('object');
    return page.evaluate<Outcome[]>('harness.own()');
  }

  it(`${documents * selectionsOfEach} selections in ${documents} documents come back to the same range; after each of ${kindsOfEdits} kinds of edits each is right or missing`, async function () {
    this.timeout(1_800_000);
    const page = await (await browser.newContext()).newPage();
    const own: Outcome[] = [];
    const edits = new Map<string, Sums>();
    const wrong: object[] = [];
    for (let number = 0; number < documents; number++) {
      own.push(...(await select(page, number)));
      const random = createRandom(seed * 7 + number);
      for (let kind = 0; kind < kindsOfEdits; kind++) {
        if (isLarge(number) && kind % 8 !== 0) continue; // each takes two seconds
        const target = random(selectionsOfEach);
        const edited = await page.evaluate<Edited>(`harness.edit(${kind}, ${target}, ${random(1e6)})`);
        edits.set(edited.name, add(edits.get(edited.name), edited));
        wrong.push(...edited.wrong.map((one) => ({ number, edit: edited.name, ...one })));
      }
    }
    report(edits, own, wrong.length);
    expect(own.filter((outcome) => outcome !== 'right')).to.deep.equal([]);
    expect(wrong).to.deep.equal([]);
    expect(edits.size).to.equal(kindsOfEdits);
  });
});

function add(before: Sums = { right: 0, missing: 0, wrong: 0, lost: 0 }, { outcomes }: Edited): Sums {
  const sums = { ...before };
  for (const { outcome, isLeft } of outcomes) {
    sums[outcome] += 1;
    if (outcome === 'missing' && isLeft) sums.lost += 1;
  }
  return sums;
}

function report(edits: ReadonlyMap<string, Sums>, own: readonly Outcome[], wrong: number): void {
  const lines = [...edits].map(
    ([name, { right, missing, lost }]) =>
      `${name}: ${right} right, ${missing} missing (of ${lost} the text is left)`,
  );
  const sum = (key: keyof Sums) => [...edits.values()].reduce((all, sums) => all + sums[key], 0);
  const same = own.filter((outcome) => outcome === 'right').length;
  process.stdout.write(`seed ${seed}: ${same} of ${own.length} come back. ${lines.join('\n')}
all edits: ${sum('right')} right, ${sum('missing')} missing (of ${sum('lost')} the text is left), ${wrong} wrong\n`);
}
