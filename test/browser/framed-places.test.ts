import { expect } from 'chai';
import type { Frame } from 'playwright-core';
import { useService } from '../support/service.ts';
import { describeInBrowsers } from './browser.ts';
import { type FramedPage, openFramed } from './framed-channel.ts';

const quote = 'The sentence to quote stands here.';
const sentence = `<p>${quote}</p>`;
const filler = '<p>Filler.</p>\n'.repeat(60);
const lines = Array.from({ length: 300 }, (_, n) => `line ${n}\n`).join('');
const slide = (inner: string, style = '') =>
  `<section style="flex:0 0 100%;height:300px;${style}">${inner}</section>`;

/** Where readers see it after a press. */
const shown: Readonly<Record<string, string>> = {
  'a pre as high as the page': `<pre style="height:100vh;overflow:auto;margin:0">${lines}${quote}\n${lines}</pre>`,
  'far to the right in a pre': `<pre style="height:100vh;overflow:auto;margin:0">${lines}${' '.repeat(400)}${quote}\n</pre>`,
  'far to the left in text from right to left': `<div dir="rtl" style="width:400px;overflow:auto"><div style="width:3000px;padding-right:2500px"><bdo dir="ltr">${quote}</bdo></div></div>`,
  'under a sticky header': `<header style="position:sticky;top:0;height:200px;background:#eee">Header</header>${filler}${sentence}${filler}`,
  'under a fixed header and above a fixed footer': `<style>html{scroll-padding:0}</style><header style="position:fixed;inset:0 0 auto;height:260px;background:#fff">Header</header><footer style="position:fixed;inset:auto 0 0;height:260px;background:#fff">Footer</footer>${filler}${sentence}${filler}`,
  'below the row of names of a table that scrolls': `<div style="height:300px;overflow:auto"><table><thead><tr><th style="position:sticky;top:0;background:#fff;height:130px">Name<tbody>${'<tr><td>Cell'.repeat(60)}<tr><td>${quote}${'<tr><td>Cell'.repeat(60)}</table></div>`,
  'beside a column that stays': `<div style="width:600px;overflow:auto"><div style="display:flex;width:4000px"><b style="position:sticky;left:0;flex:0 0 250px;background:#fff">Name</b><span style="margin-left:1200px">${quote}</span></div></div>`,
  'in a scroller in a scroller': `${filler}<div style="height:200px;width:300px;overflow:auto">${filler}<div style="height:150px;overflow:auto"><div style="width:3000px">${filler}<p style="margin-left:2000px">${quote}</p>${filler}</div></div>${filler}</div>${filler}`,
  'on a slide that snaps': `<div style="display:flex;overflow-x:auto;scroll-snap-type:x mandatory">${slide('<p>One</p>', 'scroll-snap-align:center')}${slide('<p>Two</p>', 'scroll-snap-align:center')}${slide(sentence, 'scroll-snap-align:center')}</div>`,
  'on a slide in a box without scrollbars': `<div style="display:flex;overflow:hidden;width:500px">${slide('<p>One</p>')}${slide('<p>Two</p>')}${slide(sentence)}</div>`,
  'where scrolling is smooth': `<style>html,div{scroll-behavior:smooth}</style>${filler}<div style="height:200px;overflow:auto">${filler}${sentence}${filler}</div>${filler}`,
  'in parts that are drawn only when they are near': `<style>section{content-visibility:auto;contain-intrinsic-size:auto 20px}</style>${`<section>${filler}</section>`.repeat(30)}<section>${sentence}</section>${`<section>${filler}</section>`.repeat(30)}`,
  'in details in details': `<details><summary>More</summary>${filler}<details><summary>Still more</summary>${sentence}</details></details>`,
  'in details of a shadow root': `<x-part><template shadowrootmode="open"><details><summary>More</summary><slot></slot>${filler}${sentence}</details></template></x-part>`,
  'in a scroller of a shadow root around a slot': `<x-part><template shadowrootmode="open"><div style="height:200px;overflow:auto">${filler}<slot></slot>${filler}</div></template>${sentence}</x-part>`,
  'hidden until it is found': `${filler}<div hidden="until-found">${sentence}</div>`,
  'in a box of half the size': `<div style="transform:scale(.5);transform-origin:0 0;height:400px;width:500px;overflow:auto">${filler}${sentence}${filler}</div>`,
  'on a page whose body scrolls': `<style>html,body{height:100%;margin:0;overflow:auto}</style>${filler}${sentence}${filler}`,
  'in a box that is placed beyond its parent': `<div style="overflow:hidden;height:40px"><div style="position:absolute;top:3000px">${sentence}</div></div>`,
  'that fades in when it is near': `${filler}<div id="late" style="opacity:0">${sentence}</div>${filler}<script>new IntersectionObserver((all, observer) => { if (all[0].isIntersecting) setTimeout(() => { late.style.opacity = 1; }, 200); }).observe(late)</script>`,
  'under a layer that lets it through': `<div style="position:fixed;inset:0"></div><div style="position:fixed;inset:0;background:#fff;opacity:0"></div>${filler}${sentence}${filler}`,
  'through which presses go': `${filler}<div style="pointer-events:none">${sentence}</div>${filler}`,
  'without a doctype': `${filler}${sentence}${filler}`,
};

/** What the page hides, whatever is scrolled or opened. */
const hidden: Readonly<Record<string, string>> = {
  'a closed tab': `<button onclick="b.hidden=false">Two</button><div id="b" hidden>${sentence}</div>`,
  'a closed dialog': `<dialog>${sentence}</dialog>`,
  'a closed popover': `<div popover>${sentence}</div>`,
  invisible: `<div style="visibility:hidden">${sentence}</div>`,
  transparent: `<div style="opacity:0">${sentence}</div>`,
  'without height': `<div style="height:0;overflow:hidden">${sentence}</div>`,
  'for screen readers': `<div style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">${sentence}</div>`,
  'beyond the edge': `<div style="position:absolute;left:-9999px">${sentence}</div>`,
  'behind a curtain': `${filler}${sentence}${filler}<div style="position:fixed;inset:0;background:#fff">Welcome</div>`,
  'in a shadow root, behind what it shows': `<x-part><template shadowrootmode="open"><div style="position:relative;height:200px"><slot></slot><div style="position:absolute;inset:0;background:#fff">Cover</div></div></template>${sentence}</x-part>`,
  'a slide to the left': `<div style="overflow:hidden;width:500px"><div style="display:flex;transform:translateX(-200%)">${slide(sentence)}${slide('<p>Two</p>')}${slide('<p>Three</p>')}</div></div>`,
};

/** The part of the quote that is in the window, and what is in front of its beginning. */
const look = `(() => {
  const roots = [document];
  for (const root of roots) for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot);
  for (const root of roots) {
    const walker = document.createTreeWalker(root.body ?? root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(${JSON.stringify(quote)});
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 12);
      const { left, top, right, bottom } = range.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && right > left;
      let front = document.elementsFromPoint(left + 2, (top + bottom) / 2).filter((one) => getComputedStyle(one).opacity !== '0');
      front = front.find((one) => one.contains(root.host ?? node) || getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)');
      return isInside && (front?.contains(root.host ?? node) ?? false) ? 'seen' : JSON.stringify({ left, top, right, bottom, front: front?.outerHTML?.slice(0, 80) });
    }
  }
  return 'not there';
})()`;

describeInBrowsers({ title: 'The place of a comment', withContentOrigin: true }, (browser) => {
  const service = useService(browser.settings);
  const page = (body: string) =>
    `${body === shown['without a doctype'] ? '' : '<!doctype html>'}<title>Places</title><p>Before.</p>${body}<p>After.</p>`;
  const isSeen = (frame: Frame) => frame.evaluate<string>(look);

  async function paint({ say, hear }: FramedPage, painted: object = { quote }): Promise<void> {
    await say({ paint: [{ prefix: '', suffix: '', id: 0, position: 1_000_000, ...painted }] });
    await hear(({ found }) => found?.[0] === 0, 'the quote is found');
  }

  async function show({ say, hear }: FramedPage): Promise<boolean | undefined> {
    await say({ show: 0 });
    return (await hear((message) => message.shown === 0, 'an answer')).isHidden;
  }

  const some = (cases: Readonly<Record<string, string>>) =>
    Object.entries(cases).slice(0, browser.hasContentOrigin ? 5 : undefined);

  for (const [name, body] of some(shown))
    it(`${name}: it can be read`, async () => {
      const framed = await openFramed(browser, service, page(body));
      await paint(framed);
      expect(await show(framed), 'is hidden').to.equal(false);
      expect(await isSeen(framed.frame)).to.equal('seen');
    });

  for (const [name, body] of some(hidden))
    it(`${name}: the viewer is told that it is hidden`, async () => {
      const framed = await openFramed(browser, service, page(body));
      await paint(framed);
      expect(await show(framed)).to.equal(true);
      const moved = `[...document.querySelectorAll('div')].map((one) => one.scrollLeft + one.scrollTop).filter((at) => at > 0)`;
      expect(await framed.frame.evaluate(moved)).to.deep.equal([]);
    });

  it('a tab that the reader opens shows it', async () => {
    const framed = await openFramed(browser, service, page(hidden['a closed tab'] ?? ''));
    await paint(framed);
    expect(await show(framed)).to.equal(true);
    await framed.frame.locator('button').click();
    expect(await show(framed)).to.equal(false);
  });

  it('what it opens is told by the event that the browser has for a search', async () => {
    const framed = await openFramed(
      browser,
      service,
      page(
        `<div id="part" hidden="until-found">${sentence}</div>${filler}<script>part.addEventListener('beforematch', () => { part.dataset.told = ''; })</script>`,
      ),
    );
    await paint(framed);
    expect(await show(framed)).to.equal(false);
    expect(await framed.frame.locator('div').getAttribute('data-told')).to.equal('');
  });

  it('a page that changes each 20 ms gets what it draws late, and searching it takes a part of its time', async () => {
    const clock = `<p id="clock">0</p><pre hidden>${'word '.repeat(100_000)}</pre><script>
      let n = 0;
      setInterval(() => { document.getElementById('clock').textContent = String(n += 1); }, 20);
      window.add = () => document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(sentence)});
    </script>`;
    const framed = await openFramed(browser, service, page(clock));
    const missing = Array.from({ length: 500 }, (_, id) => ({
      quote: `Missing ${id}`,
      prefix: 'a',
      suffix: 'b',
      id: id + 1,
      position: null,
    }));
    await framed.say({ paint: [{ quote, prefix: '', suffix: '', id: 0, position: 1_000_000 }, ...missing] });
    await framed.hear(({ found }) => found?.length === 0, 'nothing is found');
    const share = await framed.frame.evaluate<number>(`new Promise((done) => {
      const start = performance.now();
      let held = 0;
      let last = start;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const now = performance.now();
        if (now - last > 15) held += now - last;
        last = now;
        if (now - start > 4000) done(held / (now - start));
        else port2.postMessage(null);
      };
      port2.postMessage(null);
    })`);
    process.stdout.write(`held for ${Math.round(share * 100)} % of the time\n`);
    expect(share).to.be.below(0.75); // a fifth, and what other processes take
    await framed.frame.evaluate('add()');
    await framed.hear(({ found }) => found?.[0] === 0, 'the quote is found');
    await framed.frame.evaluate("document.querySelector('p:last-of-type').remove()");
    await framed.hear(({ found }) => found?.length === 0, 'it is gone');
  });

  it('a quote in a root that is attached after all else is found when the viewer asks again', async () => {
    const body = `<div id="host"></div><later-part></later-part><script>
      window.attach = () => { host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(sentence)}; };
      window.define = () => customElements.define('later-part', class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(sentence)}; }
      });
    </script>`;
    for (const act of ['attach', 'define']) {
      const framed = await openFramed(browser, service, page(body));
      const painted = { quote, prefix: '', suffix: '', id: 0, position: 1_000_000 };
      await framed.say({ paint: [painted] });
      await framed.hear(({ found }) => found?.length === 0, 'nothing is found');
      await framed.frame.evaluate(`${act}()`);
      if (act === 'attach') await framed.say({ paint: [painted] });
      await framed.hear(({ found }) => found?.[0] === 0, `${act}: found`);
    }
  });

  it('a quote that comes into any of 2,500 roots is found', async () => {
    const roots = `<script>for (let n = 0; n < 2500; n++) {
      window.last = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
      last.innerHTML = '<p>Cell</p>';
    }</script>`;
    const framed = await openFramed(browser, service, page(roots));
    await framed.say({ paint: [{ quote, prefix: '', suffix: '', id: 0, position: 1_000_000 }] });
    await framed.hear(({ found }) => found?.length === 0, 'nothing is found');
    await framed.frame.evaluate(`last.firstChild.textContent = ${JSON.stringify(quote)}`);
    await framed.hear(({ found }) => found?.[0] === 0, 'found');
  });
});
