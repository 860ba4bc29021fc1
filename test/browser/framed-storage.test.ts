import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers } from './browser.ts';
import { createFramedPages, frameOf } from './framed-page.ts';

describeInBrowsers('Storage of a page in the viewer', (browser) => {
  const service = useService();
  const { publish, open } = createFramedPages(browser, service);

  /** What the expression is in a page in the viewer. */
  async function inViewer(html: string) {
    const { slug } = await publish(html);
    const { page, faults } = await open(`/p/${slug}`);
    return { slug, page, frame: await frameOf(page), faults };
  }

  const outcome = (expression: string) =>
    `(() => { try { return ${expression} } catch (error) { return error.name } })()`;

  it('a page that uses it while it loads is shown; at its raw address it is refused as before', async () => {
    const { slug, frame, page, faults } = await inViewer(
      '<!doctype html><p id=out>blank</p><script>const theme = localStorage.getItem("theme") ?? "light"; localStorage.setItem("theme", theme); out.textContent = theme</script>',
    );
    await frame.waitForFunction("document.getElementById('out').textContent === 'light'");
    expect(faults).to.deep.equal([]);
    await page.goto(`${service.url}/p/${slug}/raw`);
    expect(await page.evaluate(outcome('typeof localStorage'))).to.equal('SecurityError');
    expect(await page.evaluate(outcome('document.cookie'))).to.equal('SecurityError');
  });

  it('localStorage and sessionStorage have the shape that browsers give them', async () => {
    const { frame } = await inViewer('<!doctype html><h1>Shape</h1>');
    for (const name of ['localStorage', 'sessionStorage']) {
      const cases: readonly (readonly [expression: string, expected: unknown])[] = [
        ['s.length', 0],
        ["s.getItem('a')", null],
        ["s.setItem('a', 1)", undefined],
        ["s.getItem('a') + s.a + s['a']", '111'],
        ["s.b = {}, s.getItem('b')", '[object Object]'],
        ['Object.keys(s).join()', 'a,b'],
        ['JSON.stringify(s)', '{"a":"1","b":"[object Object]"}'],
        ["s + ''", '[object Storage]'],
        ['Object.prototype.toString.call(s)', '[object Storage]'],
        ['s instanceof Storage && s.constructor === Storage', true],
        ["'a' in s && !('z' in s) && s.hasOwnProperty('a')", true],
        ["[s.key(0), s.key('1'), s.key(2), s.key(-1)].join()", 'a,b,,'],
        ["Storage.prototype.getItem.call(s, 'a')", '1'],
        ['delete s.b, s.b === undefined && s.length === 1', true],
        ["s.setItem('getItem', 'x'), typeof s.getItem + s.getItem('getItem')", 'functionx'],
        [
          "s.setItem('__proto__', 'y'), s.getItem('__proto__') + (Object.getPrototypeOf(s) === Storage.prototype)",
          'ytrue',
        ],
        ["s.removeItem('none'), s.removeItem('getItem'), s.length", 2],
        [
          '(() => { const names = []; for (const name in s) if (s.hasOwnProperty(name)) names.push(name); return names.join() })()',
          'a',
        ],
        ['Object.assign(s, { c: 3 }), ({ ...s }).c', '3'],
        ["Object.defineProperty(s, 'd', { value: 4 }), s.getItem('d')", '4'],
        ["s.setItem('e')", 'TypeError'],
        ['s.getItem()', 'TypeError'],
        ["s.setItem('e', Symbol())", 'TypeError'],
        ['new Storage()', 'TypeError'],
        ['Storage.prototype.clear.call({})', 'TypeError'],
        ["s.setItem('big', 'x'.repeat(5 * 1024 * 1024))", 'QuotaExceededError'],
        ["s.setItem('big', 'x'.repeat(5 * 1024 * 1024 - 100)), s.big.length", 5_242_780],
        [
          "(() => { try { s.more = 'y'.repeat(200) } catch (error) { return [error instanceof DOMException, error.code].join() } })()",
          'true,22',
        ],
        ['s.clear(), s.length', 0],
        [`window.${name} === ${name}`, true],
      ];
      for (const [expression, expected] of cases) {
        const found = await frame.evaluate(`((s) => ${outcome(expression)})(${name})`);
        expect(found ?? (expected === null ? null : undefined), `${name}: ${expression}`).to.equal(expected);
      }
    }
    expect(await frame.evaluate('localStorage.a = 1, sessionStorage.length')).to.equal(0);
    expect(await frame.evaluate(outcome('localStorage = 5, typeof localStorage'))).to.equal('object');
    const refused = await frame.evaluate(
      "new Promise((done) => { try { const asked = indexedDB.open('x'); asked.onerror = () => done('refused'); asked.onsuccess = () => done('opened') } catch { done('refused') } })",
    );
    expect(refused).to.equal('refused');
  });

  it('document.cookie: pairs, replaced, ended by max-age and expires, within bounds', async () => {
    const { frame } = await inViewer('<!doctype html><h1>Cookies</h1>');
    for (const [set, expected] of [
      ['a=1', 'a=1'],
      [' b = 2 ; path=/; SameSite=Lax', 'a=1; b=2'],
      ['a=3; max-age=60', 'a=3; b=2'],
      ['c=x=y', 'a=3; b=2; c=x=y'],
      ['b=; Max-Age=0', 'a=3; c=x=y'],
      ['c=1; expires=Thu, 01 Jan 1970 00:00:00 GMT', 'a=3'],
      ['d=1; expires=Thu, 01 Jan 1970 00:00:00 GMT; max-age=60', 'a=3; d=1'],
      ['d=1; max-age=-1', 'a=3'],
      ['bare', 'a=3; bare'],
      [`long=${'x'.repeat(5_000)}`, 'a=3; bare'],
      ['e=\\n1', 'a=3; bare'],
      ['__proto__=p', 'a=3; bare; __proto__=p'],
    ] as const)
      expect(await frame.evaluate(`document.cookie = '${set}', document.cookie`), set.slice(0, 40)).to.equal(
        expected,
      );
    const many = await frame.evaluate<number>(
      "(() => { for (let n = 0; n < 1000; n++) document.cookie = 'n' + n + '=1'; return document.cookie.split('; ').length })()",
    );
    expect(many).to.equal(180);
    expect(
      await frame.evaluate(
        "Object.getOwnPropertyDescriptor(Document.prototype, 'cookie').get.call(document).length > 0",
      ),
    ).to.equal(true);
    expect(await frame.evaluate(outcome("document.implementation.createHTMLDocument('').cookie"))).to.equal(
      '',
    );
  });

  it('begins empty at each load', async () => {
    const { page, frame } = await inViewer('<!doctype html><h1>Empty</h1>');
    await frame.evaluate("localStorage.a = 1, sessionStorage.a = 1, document.cookie = 'a=1'");
    await page.reload();
    const again = await frameOf(page);
    expect(
      await again.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'),
    ).to.deep.equal([0, 0, '']);
  });

  for (const [what, again] of [
    ['loads itself again', 'location.reload()'],
    ['goes to its own address', 'location.href = location.href'],
  ] as const)
    it(`a page that sets a mark and ${what} stops, because storage is refused as before`, async () => {
      const { slug } = await publish(
        `<!doctype html><h1>Loop</h1><script>try { if (!localStorage.seen) { localStorage.seen = 1; ${again} } else document.title = 'seen' } catch (error) { document.title = error.name }</script>`,
      );
      const { page, asked } = await open(`/p/${slug}`);
      await until(
        async () =>
          (await page
            .frames()[1]
            ?.evaluate('document.title')
            .catch(() => '')) === 'SecurityError',
        'the page has stopped',
      );
      // Firefox asks again where a page leaves while it is loading.
      expect(asked.length).to.be.within(4, 8);
    });

  it('a page that is loaded again now and then keeps its storage', async () => {
    const { slug } = await publish('<!doctype html><h1>Now and then</h1>');
    // 10 s are 100 ms.
    const { page } = await open(
      `/p/${slug}`,
      undefined,
      '{ const { now } = Date; Date.now = () => now() * 100 }',
    );
    const frame = await frameOf(page);
    for (let n = 0; n < 5; n++) {
      await frame.evaluate('self.old = true, void setTimeout(() => location.reload(), 150)');
      await until(
        async () => (await frame.evaluate('self.old').catch(() => true)) === undefined,
        'it is loaded again',
      );
      expect(await frame.evaluate('localStorage.length')).to.equal(0);
    }
    await page.close();
  });
});
