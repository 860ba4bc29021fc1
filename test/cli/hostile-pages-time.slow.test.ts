import { expect } from 'chai';
import { checkDocument } from '../../shared/page-checks/check-document.ts';
import { cpuMsOf } from '../support/cpu.ts';
import { hostilePages, largestPage } from '../support/hostile-pages.ts';

const now = Date.UTC(2026, 10, 23);
/** Of a quarter of the largest document, for which bench/looks.ts measures 30 ms; the compiler and the collector need more. */
const mostMs = 100;
const mostRatio = 2.5;
/** What takes less is mostly the collector. */
const leastMs = 8;
const attempts = 5;

describe('looking at a hostile document', () => {
  it('takes at most twice as long for twice the length', () => {
    for (const [name, make] of hostilePages) {
      const msOf = (part: number, enough: number) => {
        const page = make(largestPage / part);
        return cpuMsOf(() => checkDocument({ html: Buffer.from(page), context: null }, now), enough);
      };
      const isLinear = () => {
        const ms = msOf(4, mostRatio * leastMs);
        return ms <= mostRatio * Math.max(leastMs, msOf(8, leastMs)) && ms <= mostMs;
      };
      expect(Array.from({ length: attempts }).some(isLinear), name).to.equal(true);
    }
  });
});
