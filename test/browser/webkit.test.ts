import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { useServer } from '../support/listen.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { attacksOnParent, hostilePage } from './attacks.ts';
import { useWebKit, type WebKitWindow } from './webkit.ts';

const pageDown = '\ue00f';

/** What needs a person's press writes what became of it into the element `html`. */
const powers = (elsewhere: string) => `<!doctype html><title>Report</title><h1>Report</h1>
<a download="data.csv" href="data:text/csv,a%2Cb">Data</a> <a id="blob" download="export.txt">Export</a> <a href="${elsewhere}">Away</a>
<button id="copy">Copy</button> <button id="play">Play</button> <button id="fill">Fill</button>
<div style="height: 4000px"></div>
<script>
document.getElementById('blob').href = URL.createObjectURL(new Blob(['x']));
const { dataset } = document.documentElement;
const silence = 'data:audio/wav;base64,UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA';
const acts = {
  copy: () => navigator.clipboard.writeText('copied'),
  play: () => new Audio(silence).play(),
  fill: () => document.documentElement.requestFullscreen(),
};
for (const [name, act] of Object.entries(acts))
  document.getElementById(name).onclick = () => act().then(() => { dataset[name] = 'done' }, (error) => { dataset[name] = error.name + error.message });
let kept;
try { kept = localStorage.length } catch (error) { kept = error.name }
</script>`;

describe('Viewers and owners, in WebKit', function () {
  this.timeout(120_000);
  const webkit = useWebKit();
  const service = useService();
  const elsewhere = useServer((_, res) => res.setHeader('content-type', 'text/html').end('<h1>Elsewhere'));

  async function openDrop(html = powers(elsewhere.url)): Promise<WebKitWindow> {
    const { slug } = await service.newDrop({ html, title: 'Sales report' });
    const window = await webkit.open();
    await window.go(`${service.url}/p/${slug}`);
    return window;
  }

  /** A new account, by the pages of the sign-in. */
  async function openSignedIn(name: string, path: string): Promise<WebKitWindow> {
    const window = await webkit.open();
    await window.go(`${service.url}/sign-in/browser?next=${path}`);
    await window.type('Name', name);
    await window.type('Sign-in key', String(service.services.signInKey));
    await window.click('Sign in');
    await window.click('Create account');
    await window.waitFor(`location.pathname === '${path}'`);
    return window;
  }

  const shows = (window: WebKitWindow, text: string) =>
    window.waitFor(`document.body.innerText.includes('${text}')`);
  const isSaved = (name: string) => until(() => webkit.saved().includes(name), `${name} is saved`);

  it('the page of a viewer has the focus: Page Down scrolls it', async () => {
    const window = await openDrop();
    await window.waitFor(
      "document.readyState === 'complete' && document.activeElement.localName === 'iframe'",
    );
    await window.press(pageDown);
    await window.inFrame(() => window.waitFor('scrollY > 100'));
  });

  it('files are saved by data: and blob: links of the page and by Download in the menu; Print opens the whole page', async () => {
    const window = await openDrop();
    await window.inFrame(async () => {
      await window.click('Data');
      await isSaved('data.csv');
      await window.click('Export');
      await isSaved('export.txt');
    });
    await window.click('More');
    await window.click('Download');
    await isSaved('Sales report.html');
    await window.click('Print');
    await window.toNewWindow();
    // That it prints is seen in Chromium (print.test.ts): this driver tells no event of printing.
    await window.waitFor("location.pathname.endsWith('/print') && document.readyState === 'complete'");
    await window.waitFor(
      "document.querySelector('h1').textContent === 'Report' && document.scripts.length === 1",
    );
  });

  it('a page copies, plays and fills the screen; a site that a link leads to does not fill it, and Back takes the notice away', async () => {
    const window = await openDrop();
    await window.inFrame(async () => {
      for (const [button, name] of [
        ['Copy', 'copy'],
        ['Play', 'play'],
        ['Fill', 'fill'],
      ] as const) {
        await window.click(button);
        await window.waitFor(`document.documentElement.dataset.${name}`);
        expect(await window.run(`return document.documentElement.dataset.${name}`), button).to.equal('done');
      }
      await window.run('document.exitFullscreen()');
      await window.click('Away');
    });
    await shows(window, `A link led to ${new URL(elsewhere.url).host}.`);
    await window.inFrame(async () => {
      await shows(window, 'Elsewhere');
      expect(await window.run('return document.fullscreenEnabled')).to.equal(false);
    });
    await window.run('history.back()');
    await window.waitFor("document.querySelector('.notices').childElementCount === 0");
    await window.inFrame(async () => {
      await shows(window, 'Report');
      expect(await window.run('return document.fullscreenEnabled')).to.equal(true);
    });
  });

  it('a page has storage of its own, which is empty, and reaches neither the session nor the viewer', async () => {
    const window = await openSignedIn('grace', '/drops');
    const { slug } = await service.newDrop({ html: hostilePage(attacksOnParent) });
    await window.go(`${service.url}/p/${slug}`);
    await window.inFrame(async () => {
      await window.waitFor("document.documentElement.dataset.done === 'yes'");
      for (const [kept, expected] of [
        ['localStorage.length', 0],
        ['sessionStorage.length', 0],
        ['document.cookie', ''],
      ] as const)
        expect(await window.run(`return ${kept}`), kept).to.equal(expected);
      const found = await window.run<Record<string, string>>('return found');
      expect(Object.keys(found)).to.have.length(attacksOnParent.length);
      for (const [what, got] of Object.entries(found))
        expect(got, what).to.match(/^(\w*Error|yes (undefined|null))$/);
    });
    expect(await window.run('return location.pathname')).to.equal(`/p/${slug}`);
  });

  it('an owner signs in, publishes pasted text and a new version, and deletes the drop', async () => {
    const window = await openSignedIn('ada', '/drops/new');
    await window.type('Or paste the HTML', '<!doctype html><title>Sales</title><h1>Week 46</h1>');
    await window.inFrame(() => shows(window, 'Week 46'));
    await window.click('Publish');
    await shows(window, 'Version 1 is published.');
    const path = await window.run<string>('return location.pathname');
    const read = () => service.get(`${path.replace('/drops/', '/p/')}/raw`);
    expect((await read()).text).to.include('Week 46');
    await window.click('New version');
    await window.type('Or paste the HTML', '<!doctype html><h1>Week 47</h1>');
    await window.click('Publish version 2');
    await shows(window, 'Version 2 is published at the same address.');
    expect((await read()).text).to.include('Week 47');
    await window.click('More about this drop');
    await window.click('Delete this drop');
    await window.click('Delete the drop');
    await window.waitFor("location.pathname === '/drops'");
    expect((await read()).status).to.equal(404);
  });

  it('the gallery shows pages, a locked one too, and counts no view', async () => {
    const window = await openSignedIn('edith', '/drops');
    const ada = await openDashboard(service, await service.newOwner('edith'));
    await ada.owner.create();
    await ada.owner.create({ passcode: 'open-sesame' });
    await window.go(`${service.url}/drops`);
    await window.waitFor("document.querySelectorAll('.thumbnail > .shown').length === 2");
    await service.settle();
    for (const { view_count } of (await ada.owner.get('/api/drops')).body.data)
      expect(view_count).to.equal(0);
  });
});
