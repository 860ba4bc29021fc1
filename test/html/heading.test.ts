import { expect } from 'chai';
import { firstHeading } from '../../shared/html/heading.ts';
import { cpuMsOf } from '../support/cpu.ts';

const find = (html: string) => firstHeading(Buffer.from(html));

describe('firstHeading', () => {
  it('is the first of the headings that have a text, if that is among the first hundred', () => {
    expect(find(`${'<h2> <br></h2>'.repeat(99)}<h1>A <b>title</b></h1><h1>Another</h1>`)).to.equal('A title');
    expect(find(`${'<h2> <br></h2>'.repeat(100)}<h1>A title</h1>`)).to.equal(null);
  });

  it('thousands of empty headings take no time', () => {
    for (const heading of ['<h1></h1>', `<h1>${'<b '.repeat(300)}</h1>`, '<h1><!--</h1>']) {
      const html = Buffer.from(heading.repeat(30_000));
      expect(
        cpuMsOf(() => firstHeading(html), 200),
        heading.slice(0, 20),
      ).to.be.below(200);
    }
  });
});
