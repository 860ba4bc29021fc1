import { expect } from 'chai';
import { describeInBrowsers } from './browser.ts';
import { asRendered } from './picture-frames.ts';

const address = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const image = (width: number) => `<img src="${address}" width=${width} height=10>`;
const text = 'word '.repeat(80);

/** Where text stands beside the pictures of `#box`. */
const cases = {
  'a cell': `<table><tr><td id=box>${image(67)}<td>${text}</table>`,
  'a cell with a width': `<table width="100%"><tr><td id=box width="5%">${image(67)}<td>${text}</table>`,
  'a table in a cell': `<table><tr><td id=box><table><tr><td>${image(67)}${image(33)}</table><td>${text}</table>`,
  'a flex item': `<div style="display:flex"><div id=box>${image(40)}</div><div>${text}</div></div>`,
  'a cell with a drawing': `<table><tr><td id=box><svg width="24" height="24"></svg><td>${text}</table>`,
  'a cell with a drawing whose width a style sheet gives': `<style>.i{width:1em;height:1em}</style><table><tr><td id=box><a><svg class=i viewBox="0 0 9 9"></svg></a><td>${text}</table>`,
  'a cell with a drawing of which only the height is said': `<table><tr><td id=box><svg height="24" viewBox="0 0 9 9"></svg><td>${text}</table>`,
  'a heading of a table with a line of values': `<style>.i{width:120px;height:20px}</style><table><tr><th id=box><svg class=i viewBox="0 0 9 9"></svg><td>${text}</table>`,
  'a cell with a drawing in parts of a pixel': `<table><tr><td id=box><svg width="12.5px" height="24"></svg><td>${text}</table>`,
} as const;

describeInBrowsers('Small pictures', (browser) => {
  for (const [name, html] of Object.entries(cases))
    for (const doctype of ['<!doctype html>', ''])
      it(`are as wide as on disk: ${name}${doctype === '' ? ', in quirks mode' : ''}`, async () => {
        const page = await (await browser.newContext()).newPage();
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const document = `${doctype}<html><head><title>Case</title></head><body>${html}</body></html>`;
          const widthOf = async (content: string) => {
            await page.setContent(content);
            return page.locator('#box').evaluate((box) => box.getBoundingClientRect().width);
          };
          const onDisk = await widthOf(document);
          expect(await widthOf(asRendered(document)), `${width} px`).to.be.closeTo(onDisk, 1);
        }
      });

  it('are not cut off: a drawing that a script fills shrinks as a whole', async () => {
    const page = await (await browser.newContext()).newPage();
    const drawing = `<svg width="960" height="500"></svg><script>
document.querySelector('svg').innerHTML = '<rect id=last x=900 y=440 width=60 height=60 />'</script>`;
    for (const [width, least] of [
      [390, 20],
      [768, 40],
      [1280, 59],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.setContent(asRendered(`<!doctype html><html><head></head><body>${drawing}</body></html>`));
      const last = await page.locator('#last').boundingBox();
      expect((last?.x ?? width) + (last?.width ?? 0), `${width} px`).to.be.at.most(width);
      expect(last?.width).to.be.at.least(least);
      expect(last?.height).to.be.closeTo(last?.width ?? 0, 0.5);
    }
  });

  it('are not wider than the page where a style sheet widens them', async () => {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 800 } })).newPage();
    const html = `<html><head><style>img{width:1200px}</style></head><body>${image(40)}</body></html>`;
    await page.setContent(asRendered(`<!doctype html>${html}`));
    expect(await page.locator('img').evaluate((picture) => picture.clientWidth)).to.be.at.most(390);
  });
});
