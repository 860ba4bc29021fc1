import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers } from './browser.ts';

/** Where everything below would lead. Nobody answers there. */
const evil = 'http://127.0.0.1:10/evil';

/** Contexts that would load or run something if their words were markup. */
const hostile: readonly string[] = [
  `<img src="${evil}/img" onerror="hit('img')">`,
  `<script>hit('script')</script><script src="${evil}/script"></script>`,
  `<svg onload="hit('svg')"><image href="${evil}/svg"/></svg>`,
  `<iframe src="${evil}/iframe" srcdoc="<script>parent.hit('srcdoc')</script>"></iframe>`,
  `<object data="${evil}/object"></object><embed src="${evil}/embed">`,
  `<link rel="stylesheet" href="${evil}/link"><style>@import "${evil}/import"; * { background: url(${evil}/style) }</style>`,
  `<video src="${evil}/video" poster="${evil}/poster" autoplay></video><audio src="${evil}/audio" autoplay></audio>`,
  `<input type="image" src="${evil}/input" autofocus onfocus="hit('focus')">`,
  `<details open ontoggle="hit('toggle')"><summary>x</summary></details>`,
  `<body background="${evil}/body" onload="hit('body')">`,
  `<table background="${evil}/table"><tr><td background="${evil}/td">x</td></tr></table>`,
  `<meta http-equiv="refresh" content="0; url=${evil}/meta">`,
  `<base href="${evil}/base/"><a href="x">x</a>`,
  `<form action="${evil}/form"><button>x</button></form>`,
  `<p style="background: url(${evil}/p)">x</p>`,
  `<math><mtext><table><mglyph><style><img src="${evil}/math" onerror="hit('math')">`,
  `<noscript><p title="</noscript><img src=${evil}/noscript onerror=hit('noscript')>">`,
  `<template><img src="${evil}/template"></template>`,
  `<a href="javascript:hit('a')" ping="${evil}/ping">x</a>`,
  `![an image](${evil}/markdown-image)`,
  `![an image](${evil}/titled "x" onerror=hit('title'))`,
  `![x](javascript:hit('image'))`,
  `![x"onerror="hit('alt')](${evil}/alt)`,
  `[![x](${evil}/nested)](${evil}/link)`,
  `[x](javascript:hit('link'))`,
  `[x](JaVaScRiPt:hit('case'))`,
  `[x](java&#x73;cript:hit('entity'))`,
  `[x](&#106;avascript:hit('first'))`,
  `[x](<java\tscript:hit('tab')>)`,
  `[x](data:text/html,<script>hit('data')</script>)`,
  `[x](vbscript:hit('vb'))`,
  `[x](//127.0.0.1:10/evil/relative)`,
  `[x](\\\\127.0.0.1:10\\evil\\back)`,
  `[x](/sign-in)`,
  `[x](${evil}/"onmouseover="hit('over'))`,
  `[x]: javascript:hit('reference)\n\n[x]`,
  `<javascript:hit('auto')>`,
  `<${evil}/auto"onmouseover=hit('autolink')>`,
  `\`\`\`<img src=x onerror=hit('fence')>\n<img src="${evil}/code" onerror="hit('code')">\n\`\`\``,
  `\`<img src=${evil}/span onerror=hit('span')>\``,
  `| <img src=${evil}/cell> |\n|-|\n| <script>hit('cell')</script> |`,
  `# <img src=${evil}/heading onerror=hit('heading')>`,
  `> - 1. <script>hit('deep')</script>`,
  `</section></details></header><script>hit('closing')</script><iframe src="${evil}/closing"></iframe>`,
  `--><script>hit('comment')</script><!--`,
  `]]><script>hit('cdata')</script>`,
  `\u0000<\u0000script>hit('nul')</script>`,
  `&lt;img src=${evil}/escaped onerror=hit('escaped')&gt;`,
];

describeInBrowsers('A hostile context', (browser) => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function newPage(): Promise<{ page: Page; asked: string[]; ran: string[] }> {
    const page = await (await browser.newContext()).newPage();
    const asked: string[] = [];
    const ran: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('dialog', (dialog) => void dialog.dismiss());
    await page.exposeFunction('hit', (what: string) => ran.push(what));
    return { page, asked, ran };
  }

  let url = '';

  // A drop with all of it. A busy machine shows a context as text: then a small one warms the thread, and another is taken.
  before(async () => {
    const owner = await service.newOwner();
    const isRendered = async (context: string) => {
      const { slug } = await owner.create({ html: '<h1>Drop</h1>', context });
      url = `${service.url}/p/${slug}`;
      return (await service.get(`/p/${slug}`)).text.includes('<h2>');
    };
    await until(
      async () => (await isRendered('# Small')) && (await isRendered(hostile.join('\n\n'))),
      'a context is rendered',
    );
  });

  for (const [what, isPoliced] of [
    ['under the policy of the viewer', true],
    ['by its markup alone, the policy taken away', false],
  ] as const) {
    it(`loads nothing and runs nothing, ${what}`, async () => {
      const { page, asked, ran } = await newPage();
      if (!isPoliced) {
        await page.route(url, async (route) => {
          const answer = await route.fetch();
          const { 'content-security-policy': _, ...headers } = answer.headers();
          await route.fulfill({ response: answer, headers });
        });
      }
      await page.goto(url);
      await page.locator('h1 button').click();
      const section = page.locator('details.context');
      await section.waitFor({ state: 'visible' });
      expect(await section.innerText()).to.include('<script>');
      await section.evaluate((element) => {
        for (const link of element.querySelectorAll('*')) link.dispatchEvent(new Event('mouseover'));
      });
      await page.waitForLoadState('networkidle');
      expect(ran).to.deep.equal([]);
      expect(asked.filter((address) => !address.startsWith(service.url))).to.deep.equal([]);
      expect(await page.title()).to.equal('A title · Dropleaf');
    });
  }

  it('its links lead to the web alone, in a window of their own that knows nothing of ours', async () => {
    const { page } = await newPage();
    await page.goto(url);
    const links = await page.locator('details.context a[href]').evaluateAll((all) =>
      all.map((link) => ({
        href: link.getAttribute('href'),
        rel: link.getAttribute('rel'),
        target: link.getAttribute('target'),
        names: link.getAttributeNames().sort().join(),
      })),
    );
    expect(links).to.have.length.above(5);
    for (const { href, rel, target, names } of links) {
      expect(href).to.match(/^https?:\/\//);
      expect([rel, target]).to.deep.equal(['noopener noreferrer nofollow ugc', '_blank']);
      expect(names).to.equal('href,rel,target');
    }
  });

  it('the same words do load and run where they are markup: they are real attacks', async () => {
    const { page, asked, ran } = await newPage();
    const staying = hostile.filter((words) => !words.includes('http-equiv'));
    for (const words of staying) await page.setContent(`<!doctype html><body>${words}`);
    await page.waitForLoadState('networkidle');
    expect(asked.filter((address) => address.startsWith(evil))).to.have.length.above(10);
    expect(ran).to.have.length.above(5);
  });
});
