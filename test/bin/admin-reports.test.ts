import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import type { NewReport } from '../../shared/ports/report-store.ts';
import { aReport, start } from '../contract/records.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

describe('dropleaf admin reports', function () {
  this.timeout(60_000); // each test starts several processes
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  /** As the service leaves them behind. */
  async function keep(...changes: Partial<NewReport>[]): Promise<void> {
    const db = openDatabase(join(home.dir, 'dropleaf.sqlite'));
    const reports = createSqliteReportStore(db);
    for (const one of changes) await reports.insert(aReport(one), 100);
    await db.close();
  }

  const list = (...args: string[]) => dropleaf(['admin', 'reports', ...args], home.env);
  const ids = (stdout: string) => [...stdout.matchAll(/^ {2}id {7}(\S+)$/gm)].map(([, id]) => id);

  it('says so where there are none', async () => {
    expect(await list()).to.deep.equal({ stdout: 'There are no open reports.\n', stderr: '', code: 0 });
    expect((await list('--all')).stdout).to.equal('There are no reports.\n');
  });

  it('prints each with its time, reason, page, contact, text and id; newest first', async () => {
    await keep(
      { id: 'a'.repeat(16), text: 'one\ntwo', contact: 'me@reader.example' },
      { id: 'b'.repeat(16), createdAt: start + 1, reason: 'other', text: '', contact: null, slug: 'xyz' },
    );
    expect(await list()).to.deep.equal({
      stdout:
        '2026-01-31T12:00:00.001Z other: xyz version 2\n  id       bbbbbbbbbbbbbbbb\n\n' +
        '2026-01-31T12:00:00.000Z phishing: abc version 2\n  contact  me@reader.example\n' +
        '  said     one\n  said     two\n  id       aaaaaaaaaaaaaaaa\n',
      stderr: '',
      code: 0,
    });
  });

  it('no text of a stranger commands the terminal, turns it round, or passes for a line of ours', async () => {
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
      expect(line).to.match(/^ {2}(contact|said {3}|id {5}) {2}/);
      const columns = [...line].reduce((sum, character) => sum + (character > '\x7e' ? 2 : 1), 0);
      expect(columns, line).to.be.at.most(80);
    }
  });

  it('--limit shows so many, and tells how to see those that are older', async () => {
    await keep({ dropId: 'd1' }, { dropId: 'd2' }, { dropId: 'd3' });
    const { stdout, stderr, code } = await list('--limit', '2');
    expect(ids(stdout)).to.have.length(2);
    const [, last] = ids(stdout);
    expect({ stderr, code }).to.deep.equal({
      stderr: `There are older ones: dropleaf admin reports --limit 2 --before ${last}\n`,
      code: 0,
    });
    expect((await list('--limit', '3')).stderr).to.equal('');
    expect(await list('--limit', '0')).to.include({ stdout: '', code: 2 });
  });

  it('--before goes on where a list ended, also when its last one has been closed since', async () => {
    const [a, b, c, d] = ['a'.repeat(16), 'b'.repeat(16), 'c'.repeat(16), 'd'.repeat(16)] as const;
    await keep({ id: d, createdAt: start - 1 }, ...[c, b, a].map((id) => ({ id })));
    const first = await list('--limit', '2');
    expect(ids(first.stdout)).to.deep.equal([a, b]);
    await list('close', b);
    const [, way = ''] = /dropleaf admin reports (.*)\n$/.exec(first.stderr) ?? [];
    expect(ids((await list(...way.split(' '))).stdout)).to.deep.equal([c, d]);
    expect((await list('--before', d)).stdout).to.equal('There are no open reports that are older.\n');
  });

  it('--before of a report that is not there: exit code 1, and what to do', async () => {
    await keep({});
    const { stdout, stderr, code } = await list('--before', 'nosuch\u001b[2J');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/there is no report "nosuch\ufffd\[2J" \(any more\); without --before /);
  });

  it('--page shows those of one page, by its slug or address, and goes on with it', async () => {
    const [a, b] = ['a'.repeat(16), 'b'.repeat(16)];
    await keep({ id: b }, { id: a }, { slug: 'xyz', dropId: 'd2', createdAt: start + 1 });
    const first = await list('--page', 'abc', '--limit', '1', '--all');
    expect(ids(first.stdout)).to.deep.equal([a]);
    expect(first.stderr).to.equal(
      `There are older ones: dropleaf admin reports --all --page abc --limit 1 --before ${a}\n`,
    );
    expect(ids((await list('--page', 'https://drops.example/p/abc/raw?v=1')).stdout)).to.deep.equal([a, b]);
    expect((await list('--page', 'none')).stdout).to.equal('There are no open reports of none.\n');
    const { stderr, code } = await list('--page', 'a b');
    expect({ code, stderr }).to.have.property('code', 2);
    expect(stderr).to.include('"a b" is no slug and no address of a page');
  });

  it('--by-page: a line a page, the most reported first, with its first and newest and what for', async () => {
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
      stderr: 'And 2 more, reported as often or less: --limit 3 shows them.\n',
      code: 0,
    });
    for (const other of [['--all'], ['--page', 'one'], ['--before', 'x']]) {
      const { stdout, stderr, code } = await list('--by-page', ...other);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(/'--by-page' cannot be used with option '.*--(all|page|before)\b/);
    }
  });

  it('close: it is listed no more but by --all, and the act is in the log with its reason', async () => {
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
    expect((await list('close', first)).stdout).to.equal(`${first} was closed already.\n`);
    const { stdout: log } = await dropleaf(['admin', 'log'], home.env);
    expect(log).to.match(/ann: close-report abc a{16}\n {2}why {6}nothing wrong\n {2}outcome {2}closed\n/);
  });

  it('close --page: none of the page is open any more, others stay, and the act is in the log', async () => {
    const other = 'o'.repeat(16);
    await keep({ slug: 'xyz', dropId: 'd2', id: other }, {}, {}, {});
    const close = (...args: string[]) => list('close', '--page', ...args);
    const closed = { stdout: 'abc: 3 reports are closed.\n', stderr: '', code: 0 };
    expect(await close('abc', '--by', 'ann', '--reason', 'nothing wrong')).to.deep.equal(closed);
    expect(ids((await list()).stdout)).to.deep.equal([other]);
    expect(ids((await list('--all', '--page', 'abc')).stdout)).to.have.length(3);
    const none = { stdout: 'abc: no report was open.\n', stderr: '', code: 0 };
    expect(await close('https://drops.example/p/abc'), 'repeated').to.deep.equal(none);
    expect((await close('xyz')).stdout).to.equal('xyz: 1 report is closed.\n');
    const { stdout: log } = await dropleaf(['admin', 'log'], home.env);
    expect(log)
      .to.match(/ann: close-reports abc\n {2}why {6}nothing wrong\n {2}outcome {2}closed: 3\n/)
      .and.to.match(/close-reports abc\n {2}outcome {2}none was open\n/);
  });

  it('close: exit code 2, and nothing is closed, unless it is told an id or a page, and one of them', async () => {
    const id = 'a'.repeat(16);
    await keep({ id });
    const misuses: [args: string[], answer: RegExp][] = [
      [[], /say which: the id of a report, or all of a page with --page/],
      [[id, '--page', 'abc'], /either the id of a report or --page, not both/],
      [['--page', 'a b'], /"a b" is no slug and no address of a page/],
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

  it('--help of both ends with an example', async () => {
    for (const [args, way] of [
      [[], 'reports'],
      [['close'], 'reports close'],
    ] as const) {
      const { stdout, code } = await list(...args, '--help');
      expect(code).to.equal(0);
      expect(stdout).to.match(new RegExp(`Example:\\n.*bin/dropleaf\\.js admin ${way} .*\\n$`));
    }
  });

  it('close: exit code 1 where there is no such report', async () => {
    const { stdout, stderr, code } = await list('close', 'nosuch\u001b[2J');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/there is no report "nosuch\ufffd\[2J"/);
  });
});
