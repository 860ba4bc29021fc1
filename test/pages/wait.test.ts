import { expect } from 'chai';
import { waitText } from '../../api/html/wait.ts';

describe('waitText', () => {
  for (const [seconds, words] of [
    [0, 'a moment'],
    [1, 'a moment'],
    [2, '2 seconds'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [121, '3 minutes'],
    [7_199, '120 minutes'],
    [7_200, '2 hours'],
    [86_400, '24 hours'],
    [undefined, null],
    ['60', null],
  ] as const) {
    it(`${JSON.stringify(seconds)} seconds: ${words ?? 'nothing to wait for'}`, () => {
      expect(waitText(seconds)).to.equal(words);
    });
  }
});
