import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import type { NewReport } from '../../shared/ports/report-store.ts';
import { aReport, start } from '../contract/records.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

describe('dropleaf admin reports', () => {
  const home = useHome();

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

  it('--limit shows so many, and tells how many there are more', async () => {
    await keep({ dropId: 'd1' }, { dropId: 'd2' }, { dropId: 'd3' });
    const { stdout, stderr, code } = await list('--limit', '2');
    expect(ids(stdout)).to.have.length(2);
    expect({ stderr, code }).to.deep.equal({
      stderr: 'And 1 more, which are older: --limit shows them.\n',
      code: 0,
    });
    expect(await list('--limit', '0')).to.include({ stdout: '', code: 2 });
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

  it('close: exit code 1 where there is no such report', async () => {
    const { stdout, stderr, code } = await list('close', 'nosuch\u001b[2J');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/there is no report "nosuch\ufffd\[2J"/);
  });
});
