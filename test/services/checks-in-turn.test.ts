import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ChecksInTurn } from '../../shared/drops/checks-in-turn.ts';
import { checkDocument, type DocumentFindings } from '../../shared/page-checks/check-document.ts';
import { hostilePages, largestPage } from '../support/hostile-pages.ts';
import { useThreads } from '../support/threads.ts';

const now = Date.UTC(2026, 10, 23);
const clock = { now: () => now };
const token = 'ghp_q7Wz8RtY2uIo4PaS6dFg1hJk3LzX5cVb7nM0';
const documentOf = (html: string) => ({ html: Buffer.from(html), context: null });
const large = documentOf(`${'<p>text</p>\n'.repeat(20_000)}${token}`);

/** With a thread that a test plays. */
function open(checkInThread: (html: string) => Promise<DocumentFindings | null>) {
  const warnings: object[] = [];
  const checks = new ChecksInTurn({
    checkDocument: ({ html }) => checkInThread(Buffer.from(html).toString().trimEnd()),
    clock,
    log: { warn: (fields) => void warnings.push(fields) },
  });
  const check: ChecksInTurn['check'] = (ownerId, document) => checks.check(ownerId, document);
  return { check, warnings };
}

describe('looking at documents before they are published', () => {
  const openThreads = useThreads();

  it('small documents are looked at at once, and large ones in a thread, with the same result', async () => {
    const { checkDocument: inThread } = openThreads();
    const sizes: number[] = [];
    const checks = new ChecksInTurn({
      checkDocument: (document, at) => {
        sizes.push(document.html.length);
        return inThread(document, at);
      },
      clock,
      log: { warn: () => undefined },
    });
    const small = documentOf(`<img src="a.png"><script>localStorage.x = '${token}'</script>`);
    expect(await checks.check('a', small)).to.deep.equal(checkDocument(small, now));
    expect(sizes).to.deep.equal([]);
    expect(await checks.check('a', large)).to.deep.equal(checkDocument(large, now));
    expect(sizes).to.deep.equal([large.html.length]);
    expect((await checks.check('a', large)).secrets).to.have.length(1);
  });

  it('a small document that is made of near matches is looked at in a thread', async () => {
    const { checkDocument: inThread } = openThreads();
    const checks = new ChecksInTurn({ checkDocument: inThread, clock, log: { warn: () => undefined } });
    const page = documentOf(`${'<img src=//a>'.repeat(5_000)}${token}`);
    expect(checkDocument(page, now, 10_000).isWhole).to.equal(false);
    expect(await checks.check('a', page)).to.include({ isWhole: true });
    const found = await open(async () => null).check('a', page);
    expect(found).to.deep.include({ isWhole: false, secrets: checkDocument(page, now).secrets });
  });

  it('accounts take turns, and beyond 16 that wait those of the busiest account are not looked at', async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const whole = checkDocument(documentOf('<p>x'), now);
    const checks = open((html) => {
      begun.push(html);
      return new Promise((resolve) => ends.push(() => resolve(whole)));
    });
    const named = (name: string) => documentOf(name.padEnd(100_000));
    const attacker = Array.from({ length: 30 }, (_, n) => checks.check('attacker', named(`attacker ${n}`)));
    const other = checks.check('other', named('other'));
    for (let turn = 0; turn < 40; turn++) {
      await nextTurn();
      ends.shift()?.();
    }
    expect(begun.indexOf('other')).to.be.within(1, 2);
    expect(await other).to.include({ isWhole: true });
    const results = await Promise.all(attacker);
    expect(results.filter(({ isWhole }) => isWhole)).to.have.length(16);
  });

  it('a look that takes too long, or fails, says that the document was not looked at', async () => {
    const late = open(async () => null);
    expect(await late.check('a', large)).to.deep.include({ isWhole: false, secrets: [] });
    const failing = open(async () => {
      throw new Error('the thread died');
    });
    expect(await failing.check('a', large)).to.include({ isWhole: false });
    expect(failing.warnings).to.have.length(1);
  });

  it('the thread is terminated when its time ends, and the next document is looked at', async () => {
    const page = documentOf(hostilePages.find(([name]) => name === '="')?.[1](largestPage) ?? '');
    const short = openThreads({ limits: { checkDocument: 1 } });
    expect(await short.checkDocument(page, now)).to.equal(null);
    expect(short.warnings).to.have.length(1);
    const usual = openThreads();
    expect(await usual.checkDocument(page, now)).to.include({ isHtml: false });
    expect(usual.warnings).to.deep.equal([]);
  });
});
