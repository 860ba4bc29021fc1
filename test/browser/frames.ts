import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions } from 'playwright-core';

export interface DomSnapshot {
  readonly compatMode: string;
  /** The whole tree as text, contents of templates too, with our nodes taken out wherever they are. */
  readonly withoutOurs: string;
  readonly ours: 'absent' | 'last in head' | 'inside head' | 'elsewhere';
}

/** For the tests of the surrounding suite: what the browser makes of documents. */
export function useFrames(browser: { newContext: Browser['newContext'] }) {
  let shown: readonly Uint8Array[] = [];
  // Parsed as if scripts could run, as raw pages are; but none does.
  const server = createServer((request, response) => {
    const index = /^\/(\d+)$/.exec(request.url ?? '')?.[1];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (index !== undefined) response.setHeader('content-security-policy', "script-src 'none'");
    response.end(index === undefined ? frameEach(shown) : shown[Number(index)]);
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    /** Opens each document in a frame of one page, and walks its tree. */
    async takeDoms(
      documents: readonly Uint8Array[],
      options: BrowserContextOptions = {},
    ): Promise<readonly DomSnapshot[]> {
      shown = documents;
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const { port } = server.address() as AddressInfo; // proof: it listens on a port
      await page.goto(`http://127.0.0.1:${port}/`);
      const snapshots = await page.evaluate<DomSnapshot[]>(walk);
      await context.close();
      return snapshots;
    },
  };
}

function frameEach(documents: readonly unknown[]): string {
  return `<!doctype html>${documents.map((_, index) => `<iframe src=/${index}></iframe>`).join('')}`;
}

/** Runs in the page. Texts are joined, as our nodes may have stood between two halves of one. */
const walk = `Array.from(frames, ({ document }) => {
  const style = document.querySelector('style[data-dropleaf]:not(:empty)');
  let ours = 'absent';
  if (style !== null) {
    ours = style.parentNode !== document.head ? 'elsewhere'
      : style.nextSibling === null ? 'last in head' : 'inside head';
    document.querySelector('meta[name=viewport][content="width=device-width, initial-scale=1"]')?.remove();
    style.remove();
    document.normalize();
  }
  const describe = (node) => {
    const own = [node.nodeType, node.nodeName, node.namespaceURI, node.nodeValue, node.publicId, node.systemId];
    const attributes = [...(node.attributes ?? [])].map(({ namespaceURI, name, value }) => [namespaceURI, name, value]);
    const children = [...node.childNodes];
    if (node.content?.nodeType === 11) children.push(node.content);
    return [...own, attributes, children.map(describe)];
  };
  return { compatMode: document.compatMode, withoutOurs: JSON.stringify(describe(document)), ours };
})`;
