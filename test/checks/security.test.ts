import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const heading = '## Threats';

/** A row of the table: what each threat's name is followed by, and the tests that it names. */
interface Row {
  readonly threat: string;
  readonly standsAgainst: string;
  readonly named: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

function readRows(): Row[] {
  const text = readFileSync('SECURITY.md', 'utf8');
  const table = text.slice(text.indexOf(heading)).split('\n## ')[0] ?? '';
  const lines = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat |'));
  return lines.map((line) => {
    const [, threat = '', standsAgainst = '', named = ''] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    const tests = [...named.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    }));
    return { threat, standsAgainst, named, tests };
  });
}

/** Whether it is the whole title of something there, in whichever quotes. */
function has(file: string, title: string): boolean {
  const source = readFileSync(file, 'utf8');
  return ["'", '"', '`'].some((quote) => source.includes(`(${quote}${title}${quote}`));
}

describe('SECURITY.md', () => {
  it('names for each threat what stands against it, and a test', () => {
    const rows = readRows();
    expect(rows).to.have.length.above(30);
    for (const { threat, standsAgainst, named, tests } of rows) {
      expect(threat).to.have.length.above(10);
      expect(standsAgainst, threat).to.have.length.above(10);
      expect(tests, `${threat}: ${named}`).to.have.length(named.split('<br>').length);
    }
  });

  it('names tests that are there, by the titles that they have', () => {
    for (const { threat, tests } of readRows()) {
      for (const { file, title } of tests) {
        expect(existsSync(file), `${threat}: ${file}`).to.equal(true);
        expect(has(file, title), `${threat}: ${file} has "${title}"`).to.equal(true);
      }
    }
  });
});
