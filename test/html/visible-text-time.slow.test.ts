import { expect } from 'chai';
import { visibleText } from '../../shared/html/visible-text.ts';
import { cpuMsOf } from '../support/cpu.ts';

describe('visibleText', () => {
  it('1 MB takes time that grows with its length, whatever it repeats', () => {
    for (const piece of [
      'a ',
      '&amp; ',
      '<td>a',
      ' <td> ',
      '<b>a</b>',
      '<pre>a ',
      '<pre>\n',
      '<br>',
      '<svg>',
      '\0 ',
    ]) {
      const textIn = (characters: number, enough?: number) => {
        const text = piece.repeat(characters / piece.length);
        return cpuMsOf(() => visibleText(text, { expired: () => false }), enough);
      };
      textIn(50_000);
      const part = Math.max(10, textIn(125_000));
      const most = part * 8 * 5;
      expect(textIn(1_000_000, most), `${piece}: 8 times ${part} ms`).to.be.below(most);
    }
  });
});
