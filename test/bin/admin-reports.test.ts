import { join } from 'node:path';
import { expect } from 'chai';
import type { NewReport } from '../../shared/reports/report-store.ts';
import { SqliteReports } from '../../shared/reports/sqlite.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { aReport, start } from '../contract/records.ts';
import { dropleaf } from './command.ts';
import { makeData, useHome } from './home.ts';

const a = 'a'.repeat(16);
const b = 'b'.repeat(16);
const c = 'c'.repeat(16);
const d = 'd'.repeat(16);

describe('bin/dropleaf.js admin reports', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  async function store(...changes: Partial<NewReport>[]): Promise<void> {
    const db = openDatabase(join(home.dir, 'dropleaf.sqlite'));
    const reports = new SqliteReports(db);
    for (const one of changes) await reports.insert(aReport(one), 100, 100_000);
    await db.close();
  }

  const list = (...args: string[]) =>
    dropleaf(['admin', 'reports', ...args], { ...home.env, BASE_URL: 'https://drops.example' });
  const idsOf = (stdout: string) => [...stdout.matchAll(/^ {2}id {7}(\S+)$/gm)].map(([, id]) => id);
  const printed = (stdout: string, stderr = '') => ({ stdout, stderr, code: 0 });
  const readLog = async () => (await dropleaf(['admin', 'log'], home.env)).stdout;

  it('says that there are none', async () => {
    expect(await list()).to.deep.equal(printed('There are no open reports.\n'));
    expect(await list('--all')).to.deep.equal(printed('There are no reports.\n'));
    expect(await list('--page', 'none')).to.deep.equal(printed('There are no open reports of none.\n'));
    expect(await list('--by-page')).to.deep.equal(printed('There are no open reports.\n'));
  });

  it('prints time, reason, page, contact, text and id of each report, newest first', async () => {
    await store(
      { id: a, text: 'one\ntwo', contact: 'me@reader.example' },
      { id: b, createdAt: start + 1, reason: 'other', text: '', contact: null, slug: 'xyz' },
    );
    expect(await list()).to.deep.equal(
      printed(
        `2026-01-31T12:00:00.001Z other: xyz version 2\n  id       ${b}\n\n` +
          '2026-01-31T12:00:00.000Z phishing: abc version 2\n  contact  me@reader.example\n' +
          `  text     one\n  text     two\n  id       ${a}\n`,
      ),
    );
  });

  it('prints no control characters of a visitor, and no text that passes for a line of the command', async () => {
    const escapes = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\u0008\u007f\u202e\u2066\u2028\u200f';
    const forged = `${' '.repeat(69)}2026-01-31T12:00:00.000Z phishing: forged version 1`;
    const wide = '\u6f22'.repeat(200);
    await store({ text: `${escapes}\n${forged}\n${wide}`, contact: `${escapes}${forged}` });
    const { stdout } = await list();
    expect(stdout.replaceAll('\n', '')).to.not.match(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
    const [first, ...lines] = stdout.trimEnd().split('\n');
    expect(first).to.equal('2026-01-31T12:00:00.000Z phishing: abc version 2');
    for (const line of lines) {
      expect(line).to.match(/^ {2}(contact|text {3}|id {5}) {2}/);
      const columns = [...line].reduce((sum, character) => sum + (character > '\x7e' ? 2 : 1), 0);
      expect(columns, line).to.be.at.most(80);
    }
  });

  it('--limit prints that many and the command for older ones, which works after the last one was closed', async () => {
    await store({ id: d, createdAt: start - 1 }, ...[c, b, a].map((id) => ({ id })));
    const first = await list('--limit', '2');
    expect(idsOf(first.stdout)).to.deep.equal([a, b]);
    const next = `admin reports --limit 2 --before ${b}`;
    expect(first).to.include({ stderr: `For older reports: bin/dropleaf.js ${next}\n`, code: 0 });
    await list('close', b);
    const second = await dropleaf(next.split(' '), home.env);
    expect(idsOf(second.stdout)).to.deep.equal([c, d]);
    expect(second.stderr).to.equal('');
    expect(await list('--before', d)).to.deep.equal(printed('There are no older open reports.\n'));
  });

  it('--page prints the reports of one page, by slug or URL', async () => {
    await store({ id: b }, { id: a }, { slug: 'xyz', dropId: 'd2', createdAt: start + 1 });
    const first = await list('--page', 'abc', '--limit', '1', '--all');
    expect(idsOf(first.stdout)).to.deep.equal([a]);
    expect(first.stderr).to.equal(
      `For older reports: bin/dropleaf.js admin reports --all --page abc --limit 1 --before ${a}\n`,
    );
    expect(idsOf((await list('--page', 'https://drops.example/p/abc/raw?v=1')).stdout)).to.deep.equal([a, b]);
  });

  it('--by-page prints a line for each page, most reports first, with times and reasons', async () => {
    const ofPage = (slug: string, count: number, changes: Partial<NewReport> = {}) =>
      Array.from({ length: count }, (_, n) => ({ slug, dropId: slug, createdAt: start + n, ...changes }));
    await store(
      ...ofPage('one', 1),
      ...ofPage('eleven', 9),
      ...ofPage('eleven', 2, { reason: 'malware' }),
      ...ofPage('two', 2, { createdAt: start + 5 }),
    );
    const time = (ms: number) => new Date(start + ms).toISOString();
    const eleven = `11 open  eleven  first ${time(0)}  newest ${time(8)}  phishing 9, malware 2\n`;
    const two = ` 2 open  two     first ${time(5)}  newest ${time(5)}  phishing 2\n`;
    const one = ` 1 open  one     first ${time(0)}  newest ${time(0)}  phishing 1\n`;
    expect(await list('--by-page')).to.deep.equal(printed(`${eleven}${two}${one}`));
    const rest = '2 more pages have reports: use --limit 3 to list them.\n';
    expect(await list('--by-page', '--limit', '1')).to.deep.equal(printed(eleven, rest));
  });

  it('close: only --all lists the report from then on, and the log has the reason', async () => {
    await store({ id: a }, { id: b });
    const close = (...args: string[]) => list('close', a, ...args);
    expect(await close('--by', 'ann', '--reason', 'harmless')).to.deep.equal(printed(`${a} is closed.\n`));
    expect(idsOf((await list()).stdout)).to.deep.equal([b]);
    const all = (await list('--all')).stdout;
    expect(idsOf(all)).to.have.members([a, b]);
    expect(all).to.match(/^ {2}closed {3}\d{4}-/m);
    expect(await close()).to.deep.equal(printed(`${a} is closed already.\n`));
    expect(await readLog()).to.match(
      /ann: close-report abc a{16}\n {2}reason {3}harmless\n {2}outcome {2}closed\n/,
    );
  });

  it('close --page closes the open reports of that page only, and the log has the reason', async () => {
    await store({ slug: 'xyz', dropId: 'd2', id: d }, {}, {}, {});
    const close = (page: string, ...args: string[]) => list('close', '--page', page, ...args);
    const closed = await close('abc', '--by', 'ann', '--reason', 'harmless');
    expect(closed).to.deep.equal(printed('abc has no open reports any more: 3 reports closed.\n'));
    expect(idsOf((await list()).stdout)).to.deep.equal([d]);
    expect(await close('https://drops.example/p/abc')).to.deep.equal(printed('abc has no open reports.\n'));
    expect(await close('xyz')).to.deep.equal(printed('xyz has no open reports any more: 1 report closed.\n'));
    expect(await readLog())
      .to.match(/ann: close-reports abc\n {2}reason {3}harmless\n {2}outcome {2}closed: 3\n/)
      .and.to.match(/close-reports abc\n {2}outcome {2}none was open\n/);
  });

  const refusals: [what: string, args: string[], code: number, answer: RegExp][] = [
    ['--before a missing report', ['--before', 'x\u001b[2J'], 1, /no report "x\ufffd\[2J"; omit --before /],
    ['--page that is not a page', ['--page', 'a b'], 2, /"a b" is not a slug/],
    ['--by-page with --all', ['--by-page', '--all'], 2, /'--by-page' cannot be used with option .*--all/],
    ['close of a missing report', ['close', 'x\u001b[2J'], 1, /there is no report "x\ufffd\[2J"/],
    ['close without id and page', ['close'], 2, /give either the id of a report, or --page/],
    ['close with id and page', ['close', a, '--page', 'abc'], 2, /give either the id of a report, or --page/],
    ['close --page without a page', ['close', '--page'], 2, /'-p, --page <page>' argument missing/],
    ['close --all', ['close', '--all'], 2, /unknown option '--all'/],
  ];
  for (const [what, args, code, answer] of refusals) {
    it(`${what}: exits with ${code} and changes nothing`, async () => {
      await store({ id: a });
      const outcome = await list(...args);
      expect(outcome).to.include({ stdout: '', code });
      expect(outcome.stderr).to.match(answer);
      expect(idsOf((await list()).stdout)).to.deep.equal([a]);
      expect(await readLog()).to.equal('');
    });
  }
});
