import { expect } from 'chai';
import { comparedLines } from '../../shared/html/compared-lines.ts';
import { unifiedDiff } from '../../shared/threads/compare.ts';
import { NodeThreads } from '../../shared/threads/threads.ts';
import { compareTexts } from './compare-texts.ts';

/** Applies a unified diff strictly: every line that it keeps or removes must be there. */
function apply(text: string, diff: string): string {
  const lines = comparedLines(text, 'source');
  const result: string[] = [];
  let at = 0;
  const body = diff.replaceAll('\n\\ No newline', '\u0001').split('\n').slice(2, -1);
  for (const line of body.map((one) => one.replace('\u0001', '\n\\ No newline'))) {
    const start = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (start !== null) {
      const [first = 0, count = 0, newFirst = 0, newCount = 0] = start.slice(1).map(Number);
      const from = count === 0 ? first : first - 1;
      result.push(...lines.slice(at, from));
      at = from;
      expect(result.length, line).to.equal(newCount === 0 ? newFirst : newFirst - 1);
      continue;
    }
    if (line[0] !== '+') expect(lines[at++]).to.equal(line.slice(1));
    if (line[0] !== '-') result.push(line.slice(1));
  }
  const whole = [...result, ...lines.slice(at)];
  return whole.map((line) => (line.includes('\n') ? (line.split('\n', 1)[0] ?? '') : `${line}\n`)).join('');
}

describe('unifiedDiff', () => {
  const diffOf = (before: string, after: string) => {
    const sides = [before, after].map((text) => ({ name: 'x', lines: comparedLines(text, 'source') }));
    const [old, young] = sides;
    return old && young ? unifiedDiff(old, young, () => false) : null;
  };

  it('turns the one text into the other, whatever they are', () => {
    let state = 1;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let n = 0; n < 700; n++) {
      const words = 2 + random(20);
      const make = () => {
        const text = Array.from({ length: random(40) }, () => `l${random(words)}`).join('\n');
        return random(2) === 0 ? text : `${text}\n`;
      };
      const before = make();
      const edited = before.split('\n').flatMap((line) => (random(8) > 0 ? [line] : [`n${random(9)}`, line]));
      const after = random(2) === 0 ? make() : edited.filter(() => random(9) > 0).join('\n');
      const diff = diffOf(before, after) ?? 'too different';
      if (before === after) expect(diff).to.equal('');
      else expect(apply(before, diff), JSON.stringify([before, after])).to.equal(after);
    }
  });

  it('a line feed at the end is a difference', () => {
    expect(diffOf('a', 'a\n')).to.equal(
      '--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n',
    );
    expect(diffOf('', 'a\n')).to.equal('--- x\n+++ x\n@@ -0,0 +1,1 @@\n+a\n');
  });

  it('thousands of lines that have nothing in common are compared at once', () => {
    const make = (letter: string) => Array.from({ length: 20_000 }, (_, i) => letter + i).join('\n');
    expect(diffOf(make('a'), make('b'))).to.match(/^@@ -1,20000 \+1,20000 @@$/m);
  });
});

describe('compare in a thread', () => {
  const threads = new NodeThreads({ limits: { compare: 200 } });
  after(() => threads.close());

  it('two documents that take too long: null', async () => {
    const shuffled = (step: number) =>
      Array.from({ length: 200_003 }, (_, i) => (i * step) % 200_003).join('\n');
    expect(await compareTexts(threads, shuffled(7_919), shuffled(104_729), 'source')).to.equal(null);
  });
});
