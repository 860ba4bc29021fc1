import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import type { NewReport } from '../../shared/ports/report-store.ts';
import { aReport, start } from '../contract/records.ts';
import { dropleaf } from './command.ts';
import { makeData, useHome } from './home.ts';

describe('dropleaf admin reports', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  async function keep(...changes: Partial<NewReport>[]): Promise<void> {
    const db = openDatabase(join(home.dir, 'dropleaf.sqlite'));
    const reports = createSqliteReportStore(db);
    for (const one of changes) await reports.insert(aReport(one), 100);
    await db.close();
  }

  const list = (...args: string[]) => dropleaf(['admin', 'reports', ...args], home.env);
  const ids = (stdout: string) => [...stdout.matchAll(/^ {2}id {7}(\S+)$/gm)].map(([, id]) => id);

  it('says that there are none', async () => {
    expect(await list()).to.deep.equal({ stdout: 'There are no open reports.\n', stderr: '', code: 0 });
    expect((await list('--all')).stdout).to.equal('There are no reports.\n');
  });

  it('prints time, reason, page, contact, text and id of each report, newest first', async () => {
    await keep(
      { id: 'a'.repeat(16), text: 'one\ntwo', contact: 'me@reader.example' },
      { id: 'b'.repeat(16), createdAt: start + 1, reason: 'other', text: '', contact: null, slug: 'xyz' },
    );
    expect(await list()).to.deep.equal({
      stdout:
        '2026-01-31T12:00:00.001Z other: xyz version 2\n  id       bbbbbbbbbbbbbbbb\n\n' +
        '2026-01-31T12:00:00.000Z phishing: abc version 2\n  contact  me@reader.example\n' +
        '  text     one\n  text     two\n  id       aaaaaaaaaaaaaaaa\n',
      stderr: '',
      code: 0,
    });
  });

  it('prints no control characters of a visitor, and no text that passes for a line of the command', async () => {
    const escapes = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\u0008\u007f\u202e\u2066\u2028\u200f';
    const forged = `${' '.repeat(69)}2026-01-31T12:00:00.000Z phishing: forged version 1`;
    const wide = '\u6f22'.repeat(200);
    await keep({ text: `${escapes}\n${forged}\n${wide}`, contact: `${escapes}${forged}` });
    const { stdout } = await list();
    expect(stdout.replaceAll('\n', '')).to.not.match(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => /^\S/.test(line))).to.deep.equal([
      '2026-01-31T12:00:00.000Z phishing: abc version 2',
    ]);
    for (const line of lines.slice(1, -1)) {
      expect(line).to.match(/^ {2}(contact|text {3}|id {5}) {2}/);
      const columns = [...line].reduce((sum, character) => sum + (character > '\x7e' ? 2 : 1), 0);
      expect(columns, line).to.be.at.most(80);
    }
  });

  it('--limit prints that many, and the command for older ones', async () => {
    await keep({ dropId: 'd1' }, { dropId: 'd2' }, { dropId: 'd3' });
    const { stdout, stderr, code } = await list('--limit', '2');
    expect(ids(stdout)).to.have.length(2);
    const [, last] = ids(stdout);
    expect({ stderr, code }).to.deep.equal({
      stderr: `For older reports: dropleaf admin reports --limit 2 --before ${last}\n`,
      code: 0,
    });
    expect((await list('--limit', '3')).stderr).to.equal('');
  });

  it('--before continues a list, also after its last report was closed', async () => {
    const [a, b, c, d] = ['a'.repeat(16), 'b'.repeat(16), 'c'.repeat(16), 'd'.repeat(16)] as const;
    await keep({ id: d, createdAt: start - 1 }, ...[c, b, a].map((id) => ({ id })));
    const first = await list('--limit', '2');
    expect(ids(first.stdout)).to.deep.equal([a, b]);
    await list('close', b);
    const [, way = ''] = /dropleaf admin reports (.*)\n$/.exec(first.stderr) ?? [];
    expect(ids((await list(...way.split(' '))).stdout)).to.deep.equal([c, d]);
    expect((await list('--before', d)).stdout).to.equal('There are no older open reports.\n');
  });

  it('--before of a missing report exits with 1 and says what to do', async () => {
    await keep({});
    const { stdout, stderr, code } = await list('--before', 'nosuch\u001b[2J');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/there is no report "nosuch\ufffd\[2J"; omit --before /);
  });

  it('--page prints the reports of one page, by slug or URL', async () => {
    const [a, b] = ['a'.repeat(16), 'b'.repeat(16)];
    await keep({ id: b }, { id: a }, { slug: 'xyz', dropId: 'd2', createdAt: start + 1 });
    const first = await list('--page', 'abc', '--limit', '1', '--all');
    expect(ids(first.stdout)).to.deep.equal([a]);
    expect(first.stderr).to.equal(
      `For older reports: dropleaf admin reports --all --page abc --limit 1 --before ${a}\n`,
    );
    expect(ids((await list('--page', 'https://drops.example/p/abc/raw?v=1')).stdout)).to.deep.equal([a, b]);
    expect((await list('--page', 'none')).stdout).to.equal('There are no open reports of none.\n');
    const { stderr, code } = await list('--page', 'a b');
    expect(code).to.equal(2);
    expect(stderr).to.include('"a b" is not a slug');
  });

  it('--by-page prints a line for each page, most reports first, with times and reasons', async () => {
    expect((await list('--by-page')).stdout).to.equal('There are no open reports.\n');
    const ofPage = (slug: string, count: number, changes: Partial<NewReport> = {}) =>
      Array.from({ length: count }, (_, n) => ({ slug, dropId: slug, createdAt: start + n, ...changes }));
    await keep(
      ...ofPage('one', 1),
      ...ofPage('eleven', 9),
      ...ofPage('eleven', 2, { reason: 'malware' }),
      ...ofPage('two', 2, { createdAt: start + 5 }),
    );
    const time = (ms: number) => new Date(start + ms).toISOString();
    const [eleven, two, one] = [
      `11 open  eleven  first ${time(0)}  newest ${time(8)}  phishing 9, malware 2\n`,
      ` 2 open  two     first ${time(5)}  newest ${time(5)}  phishing 2\n`,
      ` 1 open  one     first ${time(0)}  newest ${time(0)}  phishing 1\n`,
    ];
    const all = { stdout: `${eleven}${two}${one}`, stderr: '', code: 0 };
    expect(await list('--by-page')).to.deep.equal(all);
    expect(await list('--by-page', '--limit', '1')).to.deep.equal({
      stdout: eleven,
      stderr: '2 more pages have reports: use --limit 3 to list them.\n',
      code: 0,
    });
    for (const other of [['--all'], ['--page', 'one'], ['--before', 'x']]) {
      const { stdout, stderr, code } = await list('--by-page', ...other);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(/'--by-page' cannot be used with option '.*--(all|page|before)\b/);
    }
  });

  it('close: only --all lists the report from then on, and the log has the reason', async () => {
    const [first, second] = ['a'.repeat(16), 'b'.repeat(16)];
    await keep({ id: first }, { id: second });
    expect(await list('close', first, '--by', 'ann', '--reason', 'nothing wrong')).to.deep.equal({
      stdout: `${first} is closed.\n`,
      stderr: '',
      code: 0,
    });
    expect(ids((await list()).stdout)).to.deep.equal([second]);
    const all = (await list('--all')).stdout;
    expect(ids(all)).to.have.members([first, second]);
    expect(all).to.match(/^ {2}closed {3}\d{4}-/m);
    expect((await list('close', first)).stdout).to.equal(`${first} was already closed.\n`);
    const { stdout: log } = await dropleaf(['admin', 'log'], home.env);
    expect(log).to.match(/ann: close-report abc a{16}\n {2}reason {3}nothing wrong\n {2}outcome {2}closed\n/);
  });

  it('close --page closes the open reports of that page only, and the log has the reason', async () => {
    const other = 'o'.repeat(16);
    await keep({ slug: 'xyz', dropId: 'd2', id: other }, {}, {}, {});
    const close = (...args: string[]) => list('close', '--page', ...args);
    const closed = { stdout: 'abc: 3 reports closed.\n', stderr: '', code: 0 };
    expect(await close('abc', '--by', 'ann', '--reason', 'nothing wrong')).to.deep.equal(closed);
    expect(ids((await list()).stdout)).to.deep.equal([other]);
    expect(ids((await list('--all', '--page', 'abc')).stdout)).to.have.length(3);
    const none = { stdout: 'abc: no open reports.\n', stderr: '', code: 0 };
    expect(await close('https://drops.example/p/abc'), 'repeated').to.deep.equal(none);
    expect((await close('xyz')).stdout).to.equal('xyz: 1 report closed.\n');
    const { stdout: log } = await dropleaf(['admin', 'log'], home.env);
    expect(log)
      .to.match(/ann: close-reports abc\n {2}reason {3}nothing wrong\n {2}outcome {2}closed: 3\n/)
      .and.to.match(/close-reports abc\n {2}outcome {2}none was open\n/);
  });

  it('close exits with 2 and closes nothing unless it is given either an id or a page', async () => {
    const id = 'a'.repeat(16);
    await keep({ id });
    const misuses: [args: string[], answer: RegExp][] = [
      [[], /give either the id of a report, or --page/],
      [[id, '--page', 'abc'], /give either the id of a report, or --page/],
      [['--page', 'a b'], /"a b" is not a slug/],
      [['--page'], /'-p, --page <page>' argument missing/],
      [['--all'], /unknown option '--all'/],
    ];
    for (const [args, answer] of misuses) {
      const { stdout, stderr, code } = await list('close', ...args);
      expect({ stdout, code }, args.join(' ')).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(answer);
    }
    expect(ids((await list()).stdout)).to.deep.equal([id]);
    expect((await dropleaf(['admin', 'log'], home.env)).stdout).to.equal('');
  });

  it('close exits with 1 if there is no such report', async () => {
    const { stdout, stderr, code } = await list('close', 'nosuch\u001b[2J');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/there is no report "nosuch\ufffd\[2J"/);
  });
});
