import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { describeInBrowsers } from './browser.ts';
import { type FramedPage, type Heard, openFramed } from './framed-channel.ts';

const figure = `<!doctype html><title>Figure</title>
<p id="out">Costs fell by nine percent in the north.</p>
<report-figure><template shadowrootmode="open"><p id="in">Revenue was 42 million in the south.</p></template></report-figure>
<p id="below">Nothing else changed in that year at all.</p>`;

/** Two roots, one in the other, made by a script that runs late; what is in the slots is read in another order than it is written. */
const nested = `<!doctype html><title>Nested</title>
<p id="out">Costs fell by nine percent in the north.</p>
<outer-part><p slot="last" id="last">The third of the sentences.</p><p slot="first" id="first">The first of the sentences.</p></outer-part>
<script>
const make = (name, html) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; }
});
setTimeout(() => {
  make('inner-part', '<p class="inner">The second of the sentences.</p>');
  make('outer-part', '<slot name="first"></slot><inner-part></inner-part><slot name="last"></slot>');
}, 300);
</script>`;

const fields = `<!doctype html><title>Fields</title>
<p id="out">Costs fell by nine percent in the north.</p>
<textarea>Text of a field</textarea><input value="One line">
<input type="email" value="a@b.example">
<div contenteditable id="editable">Words that anybody may change.</div>
<svg width="300" height="40"><text y="20">Words in a picture</text></svg>
<p id="image"><img alt="" width="80" height="40" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"></p>
<iframe srcdoc="<p>Words of a frame that stands here</p>"></iframe>
<closed-part style="display:block"></closed-part>
<script>
customElements.define('closed-part', class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<p>Words that nobody gets to know.</p>'; }
});
</script>`;

/** The first such element, also in open roots. */
const find = (selector: string) => `(function find(root) {
  const found = root.querySelector(${JSON.stringify(selector)});
  const roots = [...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? []);
  return roots.reduce((inner, one) => inner ?? find(one), found);
})(document)`;

describeInBrowsers({ title: 'What readers select', withContentOrigin: true }, (browser) => {
  const service = useService(browser.settings);
  const open = (html: string) => openFramed(browser, service, html);

  /** From the beginning of the text of one element to the end of that of another, or into it, by the mouse. */
  async function drag(framed: FramedPage, from: string, to = from, isWhole = from === to): Promise<void> {
    const { page, frame, forget } = framed;
    const outer = await page.locator('main iframe').boundingBox();
    const boxOf = (selector: string) =>
      frame.evaluate<{ x: number; y: number; width: number; height: number }>(`{
        const range = document.createRange();
        range.selectNodeContents(${find(selector)});
        range.getBoundingClientRect().toJSON();
      }`);
    const start = await boxOf(from);
    const end = await boxOf(to);
    if (outer === null) throw new Error('there is no frame');
    await frame.evaluate('getSelection().removeAllRanges()');
    await page.locator('.comment-here').waitFor({ state: 'hidden' }); // it can stand where the mouse passes
    await forget();
    const down = (box: { y: number; height: number }) => outer.y + box.y + box.height / 2;
    await page.mouse.move(outer.x + start.x + 1, down(start));
    await page.mouse.down();
    await page.mouse.move(outer.x + start.x + 30, down(start), { steps: 3 });
    await page.mouse.move(outer.x + end.x + (isWhole ? end.width + 3 : 100), down(end), { steps: 6 });
    await page.mouse.up();
  }

  async function dragInClosed({ page, frame }: FramedPage): Promise<void> {
    const box = await frame.locator('closed-part').boundingBox();
    if (box === null) throw new Error('it is not shown');
    await page.mouse.move(box.x + 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
  }

  const isQuote = ({ selection }: Heard) => selection != null;
  const isUnquotable = (message: Heard) => message.selection === null && message.isUnquotable === true;

  async function expectQuote(framed: FramedPage, selector: string, quote: string): Promise<Heard> {
    await drag(framed, selector);
    return framed.hear(({ selection }) => selection?.quote === quote, `${selector} is quoted`);
  }

  it('in an open shadow root it is what is selected there, with what stands around it, and where it ends', async () => {
    const framed = await open(figure);
    await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
    const { selection } = await expectQuote(framed, '#in', 'Revenue was 42 million in the south.');
    expect(selection?.prefix).to.include('in the north.');
    expect(selection?.suffix).to.include('Nothing else');
    const box = await framed.frame.locator('#in').boundingBox();
    const outer = await framed.page.locator('main iframe').boundingBox();
    if (box === null || outer === null) throw new Error('they are not shown');
    expect(selection?.at.top).to.be.closeTo(box.y - outer.y, 6);
    expect(selection?.at.bottom).to.be.closeTo(box.y - outer.y + box.height, 6);
    expect(selection?.at.left).to.be.closeTo(box.x - outer.x, 6);
    expect(selection?.at.right).to.be.within(100, box.width);
    await framed.say({ paint: [{ ...selection, id: 0, position: null }] });
    expect((await framed.hear(({ found }) => found !== undefined, 'found')).found).to.deep.equal([0]);
    const painted = "[...CSS.highlights.get('dropleaf-comments')].map(String).join('|')";
    expect(await framed.frame.evaluate(painted)).to.equal('Revenue was 42 million in the south.');
    const color = `getComputedStyle(document.querySelector('report-figure').shadowRoot.querySelector('p'), '::highlight(dropleaf-comments)').backgroundColor`;
    expect(await framed.frame.evaluate(color)).to.equal('rgba(255, 213, 79, 0.45)');
  });

  it('it may begin outside of a root and end in it, and is painted in both', async () => {
    const framed = await open(figure);
    await drag(framed, '#out', '#in');
    const spanning = /^Costs fell by nine percent in the north\.\nRevenue w/;
    const { selection } = await framed.hear(({ selection: it }) => spanning.test(it?.quote ?? ''), 'a quote');
    await framed.say({ paint: [{ ...selection, id: 0, position: selection?.position }] });
    await framed.hear(({ found }) => found?.length === 1, 'found');
    const painted = "[...CSS.highlights.get('dropleaf-comments')].map(String)";
    const [one, other, ...more] = await framed.frame.evaluate<string[]>(painted);
    expect(one).to.include('Costs fell');
    expect(other).to.match(/^Revenue w/);
    expect(more).to.deep.equal([]);
  });

  it('roots in roots that a script attaches late, and what is in slots in the order in which it is read', async () => {
    const framed = await open(nested);
    await framed.frame.waitForSelector('.inner');
    await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
    const inner = await expectQuote(framed, '.inner', 'The second of the sentences.');
    expect(inner.selection?.prefix).to.include('The first of the sentences.');
    expect(inner.selection?.suffix).to.include('The third of the sentences.');
    await expectQuote(framed, '#last', 'The third of the sentences.');
    await drag(framed, '#first', '.inner', true);
    const both = 'The first of the sentences.\nThe second of the sentences.';
    await framed.hear(({ selection }) => selection?.quote === both, 'both');
    if (browser.engine === 'Firefox') return; // it selects in the order of the document
    await drag(framed, '#first', '#last', true);
    await framed.hear(({ selection }) => selection?.quote === `${both}\nThe third of the sentences.`, 'all');
  });

  it('what was selected before is not told again where the text cannot be quoted: fields, frames, closed roots, pictures', async () => {
    const framed = await open(fields);
    const { frame, page } = framed;
    const selectField = async (selector: string) => {
      await frame.locator(selector).first().click();
      await page.keyboard.press('Control+a');
    };
    const acts: Record<string, () => Promise<void>> = {
      textarea: () => selectField('textarea'),
      input: () => selectField('input'),
      email: () => frame.locator('[type=email]').click({ clickCount: 3 }),
      'a frame': () => frame.frameLocator('iframe').locator('p').click({ clickCount: 3 }),
      'a closed root': () => dragInClosed(framed),
      'a picture': () => frame.evaluate("getSelection().selectAllChildren(document.getElementById('image'))"),
    };
    for (const [name, act] of Object.entries(acts)) {
      await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
      await framed.forget();
      await act();
      await framed.hear(isUnquotable, name);
      await page.getByRole('button', { name: 'Comments' }).focus(); // as if it were pressed
      const told = (await framed.heard()).filter(({ selection }) => selection !== undefined);
      expect(told.filter(isQuote), name).to.deep.equal([]);
      expect(told.at(-1), name).to.satisfy(isUnquotable);
    }
    await frame.locator('textarea').click();
    await framed.hear(
      (message) => message.selection === null && !isUnquotable(message),
      'nothing is selected',
    );
    await expectQuote(framed, '#editable', 'Words that anybody may change.');
    await expectQuote(framed, 'svg text', 'Words in a picture');
  });

  it('while the mouse is held nothing is told that could be quoted, so that no button stands in its way', async () => {
    const framed = await open(figure);
    const { frame, page } = framed;
    await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
    const box = await frame.locator('#out').boundingBox();
    const below = await frame.locator('#below').boundingBox();
    if (box === null || below === null) throw new Error('they are not shown');
    await frame.evaluate('getSelection().removeAllRanges()'); // what is selected could be dragged
    await framed.hear(({ selection }) => selection === null, 'nothing is selected');
    await framed.forget();
    await page.mouse.move(box.x + 1, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + box.height / 2, { steps: 5 });
    await framed.hear(({ selection }) => selection === null, 'the button is hidden');
    await page.mouse.move(below.x + 100, below.y + below.height / 2, { steps: 50 });
    expect((await framed.heard()).filter(isQuote)).to.deep.equal([]);
    await page.mouse.up();
    const isAll =
      /^Costs fell by nine percent in the north\.\nRevenue was 42 million in the south\.\nNothing else/;
    await framed.hear(({ selection }) => isAll.test(selection?.quote ?? ''), 'all that is selected');
  });

  it('an exception in the page leaves no old selection', async () => {
    const framed = await open(figure);
    await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
    await framed.forget();
    await framed.frame.evaluate(`Selection.prototype.getComposedRanges = () => { throw new Error('no') }`);
    await drag(framed, '#below');
    await framed.hear(isUnquotable, 'an exception');
  });

  it('without composed ranges text outside of roots is quoted, and in Chromium text in roots', async () => {
    const framed = await open(figure);
    await framed.frame.evaluate('delete Selection.prototype.getComposedRanges');
    await expectQuote(framed, '#out', 'Costs fell by nine percent in the north.');
    await drag(framed, '#in');
    const told = await framed.hear(
      (message) => isQuote(message) || isUnquotable(message),
      'what is selected',
    );
    if (told.selection !== null)
      expect(told.selection?.quote).to.equal('Revenue was 42 million in the south.');
  });

  if (browser.hasContentOrigin) return; // sizes are read by the same script

  for (const [name, html] of [
    [
      '100,000 shadow roots',
      `<script>for (let n = 0; n < 100000; n++) { const one = document.createElement('div'); one.attachShadow({ mode: 'open' }).innerHTML = 'x'; document.body.append(one); }</script>`,
    ],
    [
      '110,000 shadow roots, which have no text',
      `<script>for (let n = 0; n < 110000; n++) { const one = document.createElement('div'); one.attachShadow({ mode: 'open' }).innerHTML = 'x'; document.body.append(one); }</script>`,
    ],
    [
      '1,000 roots, each in the one before',
      `<script>let at = document.body; for (let n = 0; n < 1000; n++) { const one = document.createElement('div'); at.append(one); at = one.attachShadow({ mode: 'open' }); } at.append('x')</script>`,
    ],
    ['a text of 2 MB', `<pre>${'word '.repeat(380_000)}</pre>`],
    ['950,000 nodes', `<div hidden>${'<p>x'.repeat(475_000)}</div>`],
    [
      '1,200,000 nodes, which have no text',
      `<div hidden id="many"></div><script>for (let n = 0; n < 40; n++) document.getElementById('many').insertAdjacentHTML('beforeend', '<i>x</i>'.repeat(15000))</script>`,
    ],
  ] as const)
    it(`${name}: the page is not held for long`, async function () {
      this.timeout(120_000);
      const framed = await open(
        `<!doctype html><title>Large</title><p id="out">Costs fell by nine percent.</p>${html}`,
      );
      await framed.frame.evaluate(`{
        let last = performance.now();
        window.longest = 0;
        setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 1);
      }`);
      await framed.forget();
      await framed.frame.evaluate("getSelection().selectAllChildren(document.getElementById('out'))");
      const told = await framed.hear((message) => message.selection !== undefined, 'what is selected');
      const isTooLarge = name.endsWith('have no text');
      expect(told.isUnquotable).to.equal(isTooLarge || undefined);
      expect(told.selection?.quote.trim()).to.equal(isTooLarge ? undefined : 'Costs fell by nine percent.');
      const longest = await framed.frame.evaluate<number>('longest');
      process.stdout.write(`${name}: ${Math.round(longest)} ms\n`);
      expect(longest).to.be.below(5_000);
    });
});
