import { expect } from 'chai';
import { describeInBrowsers } from './browser.ts';
import { pictureCases } from './picture-cases.ts';
import { asPosted, asRendered, judgePictures, servePictures } from './picture-frames.ts';

/**
 * Each is wrong at one width at least: its size stands in a style sheet or nowhere, it is wider than its column but not than the
 * page, or a box of its page is cut off itself.
 */
const notToBeHad = new Set(
  `abs-img-big-in-small blockquote-700 col-layout css-maxw-none-map css-w-h-600x338
  css-w100-hattr200-cover figure-fitcontent figure-mincontent figure-table flex-wrapimg-text padded-decl-1200 padded-none-1200
  pct-height-wide photo-heightonly-60 slider-track table-fixed table-thumb-text-none`.split(/\s+/),
);

describeInBrowsers('Pictures', (browser) => {
  let served: Awaited<ReturnType<typeof servePictures>>;
  before(async () => {
    served = await servePictures([asPosted, asRendered]);
  });
  after(() => served.close());

  for (const width of [320, 360, 390, 768, 1_024, 1_280]) {
    it(`keep the size and shape of the file where they fit, ${width} px wide`, async () => {
      const page = await (await browser.newContext()).newPage();
      const faults = await judgePictures(page, served.url, 1, width);
      const told = [...faults].filter(([id]) => !notToBeHad.has(id));
      expect(told.map(([id, fault]) => `${id}: ${fault}`)).to.deep.equal([]);
      expect(pictureCases.length - faults.size).to.be.at.least(130);
    });
  }
});
