import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { watchEventLoop } from '../support/cpu.ts';
import { expectError } from '../support/expect.ts';
import { hostileDocuments } from '../support/hostile-documents.ts';
import { noLimits } from '../support/no-limits.ts';
import { useOwner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Those that a full parse, or a look at the clock between two tags, would not end. */
const chosen = [
  '2,000 misnested formatting tags',
  'misnested formatting in a template',
  '250,000 attributes of a link',
  '2 MB of <',
  'an unclosed script',
  'an unclosed comment',
  'nesting in a template',
];

/** Of the processor. Generous, because this process makes the documents too; the bench is strict. */
const loopHeldMs = 400;

describe('A hostile document', () => {
  const service = useService({ RENDER_REQUEST_BUDGET_MS: '300' });
  const owner = useOwner(service);

  for (const name of chosen) {
    it(`is answered, and in the end stored rendered, while others are served: ${name}`, async () => {
      const other = await owner.create({ html: '<p>another page' });
      const html = documentOf(name);
      const watch = watchOthers(() => service.get(`/p/${other.slug}/raw`));
      const { slug } = await owner.create({ html });

      const raw = await service.get(`/p/${slug}/raw`);
      expect(raw.status).to.equal(200);
      expect(raw.text.includes(html) || withoutOurs(raw.text) === html, 'the document is in it').to.equal(
        true,
      );
      await until(
        async () =>
          (await service.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('public') === true,
        'a page that may be kept',
      );

      const { statuses, longestTurnMs } = await watch.stop();
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(longestTurnMs, 'the longest turn of the event loop').to.be.below(loopHeldMs);
    });
  }

  it('is rendered once for all readers: the result is stored, also if the parser was stopped', async () => {
    const { slug } = await owner.create({ html: documentOf('250,000 attributes of a link') });
    await service.settle();
    const etags = new Set<string | undefined>();
    for (let n = 0; n < 3; n++) etags.add((await service.get(`/p/${slug}/raw`)).headers.etag);
    expect(etags.size).to.equal(1);
    expect((await service.get(`/p/${slug}/raw`)).text).to.match(/<title>x<\/title><meta name="viewport"/);
  });
});

describe('The head of a hostile document', () => {
  const service = useService(noLimits);

  it('is searched for a title while other requests are answered', async () => {
    const owner = await service.newOwner();
    const headers = { 'content-type': 'text/html' };
    for (const [name, make] of hostileDocuments) {
      const raw = make();
      const watch = watchOthers(() => service.get('/healthz'));
      const answer = await owner.request('POST', '/api/drops', { raw, headers });
      const { statuses, longestTurnMs } = await watch.stop();
      expect(new Set(statuses), name).to.deep.equal(new Set([200]));
      expect(longestTurnMs, `${name}: the longest turn of the event loop`).to.be.below(300);
      if (answer.status === 503)
        expectError(answer, 503, 'unavailable'); // the search ran out of its time
      else if (answer.status !== 201) expectError(answer, 400, 'title_required');
    }
  });
});

/** Renders of one account delay a page of another one by the renders that run, not by those that wait. */
describe('Hostile documents and contexts of one account', () => {
  const service = useService({ ...noLimits, RENDER_REQUEST_BUDGET_MS: '300', CONTEXT_MAX_BYTES: '1048576' });
  const isWarned = (line: string) => line.startsWith('warn a context was not rendered');

  it('cost the time of a context that a thread cannot render once', async () => {
    const flood = await service.newOwner();
    const other = await service.newOwner();
    const row = `${'|a'.repeat(300)}\n`;
    const context = row + row.replaceAll('a', '-') + row.repeat(1_500); // more cells than fit into its memory
    const slugs: string[] = [];
    const countWarnings = () => service.logs.filter(isWarned).length;
    for (let n = 0; n < 5; n++) {
      slugs.push((await flood.create({ context: context + n })).slug);
      await service.settle();
      service.clock.advance(60_000); // the log has one line a minute of a warning
    }
    expect(countWarnings(), 'each context has been tried').to.equal(5);
    await service.restart({ RENDER_REQUEST_BUDGET_MS: 10_000 }); // nothing is in memory
    const { slug } = await other.create({ context: '*new*' });
    const views = slugs.map((one) => service.view(`/p/${one}`));
    expect((await service.view(`/p/${slug}`)).text).to.include('<em>new</em>');
    for (const view of await Promise.all(views)) expect(view.text).to.include('<pre>');
    expect(countWarnings()).to.equal(5);
  });

  it('delay a new page of another account by one render at most', async () => {
    const flood = await service.newOwner();
    const other = await service.newOwner();
    const html = documentOf('an unclosed template').slice(0, -2);
    const slugs: string[] = [];
    for (let n = 10; n < 22; n++) slugs.push((await flood.create({ html: html + n })).slug);
    const readers = slugs.map((slug) => service.get(`/p/${slug}/raw`));
    const { slug } = await other.create({ html: '<p>new' });
    const isFinal = async () =>
      (await service.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('public') === true;
    const before = await countRendered();
    await until(isFinal, 'the page of the other account is rendered', 60_000);
    // One runs in each thread, and another may begin before the new page asks for its turn.
    expect((await countRendered()) - before).to.be.at.most(2 * availableParallelism() + 1);
    await Promise.all(readers);
  });

  async function countRendered(): Promise<number> {
    return (await service.services.engine.renders.listIds('', 'g', 1_000)).length;
  }
});

describe('A page for the frame that memory does not keep', () => {
  const service = useService({ ...noLimits, PAGE_CACHE_BYTES: '0', RENDER_REQUEST_BUDGET_MS: '60000' });

  it('is compressed three times a minute at most, however often it is asked for, while others are served', async () => {
    const owner = await service.newOwner();
    const other = await owner.create({ html: '<p>another page' });
    const { slug } = await owner.create({ html: slowToCompress() });
    await service.settle();
    const watch = watchOthers(() => service.get(`/p/${other.slug}/raw`));
    const headers = { 'accept-encoding': 'gzip' };
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n++) answers.push(await service.get(`/p/${slug}/raw?framed=1`, { headers }));
    const { statuses, longestTurnMs } = await watch.stop();
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(longestTurnMs, 'the longest turn of the event loop').to.be.below(loopHeldMs);
    expect(answers.map((answer) => answer.headers['content-encoding'] === 'gzip')).to.deep.equal(
      answers.map((_, index) => index < 3),
    );
    for (const answer of answers.slice(3)) {
      expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
      expect(answer.text).to.include('<script data-viewer');
    }
  });

  /** 2 MB of four letters in no order: 0.4 s of a core in gzip, where an ordinary page takes 0.06. */
  function slowToCompress(): string {
    const head = '<title>x</title>';
    const letters = randomBytes(2 * 1024 * 1024 - head.length).map((byte) => 'acgt'.charCodeAt(byte % 4));
    return head + Buffer.from(letters).toString('latin1');
  }
});

function documentOf(name: string): string {
  const make = hostileDocuments.find(([of]) => of === name)?.[1];
  if (make === undefined) throw new Error(`there is no hostile document ${name}`);
  return make();
}

function withoutOurs(page: string): string {
  return page.replace(
    /(<meta name="viewport" content="width=device-width, initial-scale=1">)?<style data-dropleaf>.*?<\/style>/,
    '',
  );
}

/** A reader of another page, and the longest turn of the event loop, until stopped. */
function watchOthers(read: () => Promise<{ status: number }>) {
  const longestTurn = watchEventLoop();
  const statuses: number[] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      statuses.push((await read()).status);
      await pause(10);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await reading;
      return { statuses, longestTurnMs: longestTurn() };
    },
  };
}
