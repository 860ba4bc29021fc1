import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { describeInBrowsers } from './browser.ts';
import { type FramedPage, openFramed } from './framed-channel.ts';

/** Each part takes letters in a way of its own. `typed` has those that a handler got. */
const parts: Readonly<Record<string, { readonly html: string; readonly focus?: string }>> = {
  input: { html: '<input id="to">' },
  textarea: { html: '<textarea id="to"></textarea>' },
  'an editable': { html: '<p contenteditable id="to"></p>' },
  'an editable with plain text': { html: '<p contenteditable="plaintext-only" id="to"></p>' },
  'an input in a shadow root': {
    html: '<x-field id="host"><template shadowrootmode="open"><input></template></x-field>',
    focus: 'host.shadowRoot.firstChild',
  },
  'an editable in a root in a root': {
    html: '<x-field id="host"><template shadowrootmode="open"><x-inner><template shadowrootmode="open"><p contenteditable></p></template></x-inner></template></x-field>',
    focus: "host.shadowRoot.firstChild.shadowRoot.querySelector('p')",
  },
  'a closed root': {
    html: `<div id="host"></div><script>
      window.inner = host.attachShadow({ mode: 'closed' });
      inner.innerHTML = '<input>';
    </script>`,
    focus: 'inner.firstChild',
  },
  'a text box of its own': {
    html: `<div role="textbox" tabindex="0" id="to"></div><script>to.onkeydown = ({ key }) => { to.textContent += key; }</script>`,
  },
  'a button with another role': {
    html: `<button role="combobox" id="to"></button><script>to.onkeyup = ({ key }) => { to.textContent += key; }</script>`,
  },
  'a canvas with a handler': {
    html: `<canvas tabindex="0" id="to"></canvas><script>to.addEventListener('keydown', ({ code }) => { typed.textContent += code.at(-1).toLowerCase(); })</script>`,
  },
  'a handler of the document': {
    html: `<script>document.addEventListener('keydown', ({ key }) => { typed.textContent += key; })</script>`,
    focus: 'document.body',
  },
  'a handler of the window that comes first': {
    html: `<script>addEventListener('keydown', (event) => { typed.textContent += event.key; event.stopImmediatePropagation(); }, true)</script>`,
    focus: 'document.body',
  },
  'a handler of characters': {
    html: `<script>document.onkeypress = ({ charCode }) => { typed.textContent += String.fromCharCode(charCode); }</script>`,
    focus: 'document.body',
  },
  'a handler of released keys': {
    html: `<script>onkeyup = ({ which }) => { typed.textContent += String.fromCharCode(which).toLowerCase(); }</script>`,
    focus: 'document.body',
  },
  'design mode': { html: '<script>document.designMode = "on"</script>', focus: 'document.body' },
  'a body that is an editor': {
    html: '<script>document.body.contentEditable = true</script>',
    focus: 'document.body',
  },
  'a list': { html: '<select id="to"><option>abcde</select>' },
};

describeInBrowsers({ title: 'Keys in the page', withContentOrigin: true }, (browser) => {
  const service = useService(browser.settings);
  const open = (html: string) =>
    openFramed(
      browser,
      service,
      `<!doctype html><title>Fields</title><h1>Fields</h1><p id="typed"></p><p><a href="#x">Link</a> <button>Button</button></p>${html}`,
    );

  /** All keys that came before have been dealt with. */
  async function expectNoPanel({ page, frame, heard }: FramedPage): Promise<void> {
    await frame.evaluate('new Promise((done) => setTimeout(() => setTimeout(done)))');
    expect((await heard()).filter(({ write }) => write)).to.deep.equal([]);
    expect(await page.locator('iframe.comments-panel').count()).to.equal(0);
  }

  for (const [name, { html, focus = 'to' }] of Object.entries(parts))
    it(`${name}: gets "abcde", and no panel opens`, async () => {
      const framed = await open(html);
      const { page, frame } = framed;
      await frame.locator('h1').click();
      await frame.evaluate(`(${focus}).focus()`);
      await page.keyboard.type('abcde');
      await expectNoPanel(framed);
      const got = await frame.evaluate<string>(
        `((field) => [typed.textContent, field.value, field.textContent].join())(${focus})`,
      );
      expect(got).to.include(name === 'design mode' ? '' : 'abcde');
    });

  it('where nothing in the page means it, the page gets all of the key, and the panel opens', async () => {
    const framed = await open(`<script>
      window.got = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(type, (event) => { got.push(type, event.isTrusted, event.target.localName); });
    </script>`);
    const { page, frame, hear, forget } = framed;
    for (const selector of ['h1', 'button']) {
      await forget();
      await frame.locator(selector).click();
      await frame.evaluate('void got.splice(0)');
      await page.keyboard.press('c');
      await hear(({ write }) => write === true, selector);
      const target = selector === 'h1' ? 'body' : 'button';
      const events = ['keydown', 'keypress', 'keyup'].flatMap((type) => [type, true, target]);
      expect(await frame.evaluate('got')).to.deep.equal(events);
      await page.frameLocator('iframe.comments-panel').locator('.new-comment textarea:focus').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('iframe.comments-panel').waitFor({ state: 'detached' });
    }
  });

  it('not once the reader has turned the key off below the comments, also in a later view; and again when it is turned on', async () => {
    const framed = await open('');
    const { page, frame, hear, forget } = framed;
    const panel = page.frameLocator('iframe.comments-panel');
    const setting = panel.getByLabel('the key C writes a comment');
    const turn = async (isOn: boolean) => {
      await page.getByRole('button', { name: 'Comments' }).click();
      await setting.setChecked(isOn);
      await page.getByRole('button', { name: 'Comments' }).click();
      await page.locator('iframe.comments-panel').waitFor({ state: 'detached' });
    };
    const press = async () => {
      await forget();
      await frame.locator('h1').click();
      await page.keyboard.press('c');
      await hear(({ write }) => write === true, 'the page tells the key');
    };
    await turn(false);
    await press();
    await page.getByRole('button', { name: 'Comments' }).focus();
    await page.keyboard.press('c');
    expect(await page.locator('iframe.comments-panel').count()).to.equal(0);
    await page.getByRole('button', { name: 'Comments' }).click();
    expect(await setting.isChecked(), 'later').to.equal(false);
    await page.getByRole('button', { name: 'Comments' }).click();
    await turn(true);
    await press();
    await panel.locator('.new-comment textarea:focus').waitFor();
  });

  it('not with another key, for one that is held down, an event of a script, or one that the page has handled', async () => {
    const framed = await open(`<script>
      window.isHandled = false;
      document.addEventListener('keyup', (event) => { if (isHandled) event.preventDefault(); });
    </script>`);
    const { page, frame } = framed;
    await frame.locator('h1').click();
    for (const key of ['C', 'Alt+c', 'Control+c', 'Shift+c']) await page.keyboard.press(key);
    await expectNoPanel(framed);
    await page.keyboard.down('c');
    await page.keyboard.down('c');
    await page.keyboard.up('c');
    await expectNoPanel(framed);
    await frame.evaluate(`for (const type of ['keydown', 'keyup'])
      document.body.dispatchEvent(new KeyboardEvent(type, { key: 'c', bubbles: true }))`);
    await expectNoPanel(framed);
    await frame.evaluate('void (isHandled = true)');
    await page.keyboard.press('c');
    await expectNoPanel(framed);
    await frame.evaluate('void (isHandled = false)');
    await page.keyboard.press('c');
    await framed.hear(({ write }) => write === true, 'the key');
  });

  it('not when the page moves the focus to a field', async () => {
    const framed = await open(`<input id="to"><script>
      document.addEventListener('keydown', () => to.focus());
    </script>`);
    await framed.frame.locator('h1').click();
    await framed.page.keyboard.press('c');
    await expectNoPanel(framed);
  });

  it('a frame of the page keeps its keys', async () => {
    const framed = await open('<iframe srcdoc="<input>"></iframe>');
    const input = framed.frame.frameLocator('iframe').locator('input');
    await input.click();
    await framed.page.keyboard.type('abcde');
    expect(await input.inputValue()).to.equal('abcde');
    await expectNoPanel(framed);
  });
});
