import { join } from 'node:path';
import { expect } from 'chai';
import { type JobHandlers, jobNames } from '../../shared/jobs/job-catalogue.ts';
import { SqliteJobQueue } from '../../shared/jobs/sqlite.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { createTestClock } from '../support/clock.ts';
import { until } from '../support/until.ts';
import { dropleaf } from './command.ts';
import { makeData, useHome } from './home.ts';

const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };

describe('bin/dropleaf.js token', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  it('prints only a token on stdout; the running service accepts it at once', async () => {
    const service = await home.start();
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me', '--label', 'laptop'], home.env);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^dl_[0-9A-Za-z]{36}\n$/);
    expect(await readMe(service.url, stdout)).to.have.nested.property('token.label', 'laptop');
  });

  it('--scope publish: the token may only publish, and admin find shows it; another scope is refused', async () => {
    const { url } = await home.start();
    const made = await dropleaf(['token', '--user', 'me', '--scope', 'publish'], home.env);
    const me = await readMe(url, made.stdout);
    expect(me.token).to.include({ scope: 'publish' });
    const headers = { authorization: `Bearer ${made.stdout.trim()}` };
    expect((await fetch(`${url}/api/tokens`, { headers })).status).to.equal(403);
    const found = await dropleaf(['admin', 'find', me.token.id], home.env);
    expect(found.stdout).to.match(/^ {2}scope {5}publish$/m);
    const refused = await dropleaf(['token', '--user', 'me', '--scope', 'read'], home.env);
    expect(refused).to.include({ stdout: '', code: 2 });
    expect(refused.stderr).to.include('all, publish');
  });

  it('creates tokens of one account for one name in any case, while the service is stopped', async () => {
    const tokens: string[] = [];
    for (const user of ['me', ' ME ', 'you']) {
      tokens.push((await dropleaf(['token', '--user', user], home.env)).stdout);
    }
    const { url } = await home.start();
    const [mine, mineToo, yours] = await Promise.all(tokens.map((token) => readMe(url, token)));
    expect(mine?.user_id).to.equal(mineToo?.user_id).and.not.to.equal(yours?.user_id);
    expect(mine?.token.id).not.to.equal(mineToo?.token.id);
    expect(mine?.token.label).to.equal(null);
  });

  it('creates no token above TOKENS_PER_ACCOUNT, and says what to do', async () => {
    const env = { ...home.env, TOKENS_PER_ACCOUNT: '1' };
    const create = () => dropleaf(['token', '--user', 'me'], env);
    expect(await create()).to.include({ stderr: '', code: 0 });
    const { stdout, stderr, code } = await create();
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.include('maximum of 1 active tokens: revoke one first');
  });

  it('ignores invalid values of settings that it does not need', async () => {
    const env = { ...home.env, PORT: 'x', PAGE_SIZE: '-1', GITHUB_CLIENT_SECRET_FILE: '/no/such/file' };
    expect(await dropleaf(['token', '--user', 'me'], env)).to.include({ stderr: '', code: 0 });
  });

  it('says on stderr that the account is local if people sign in with GitHub', async () => {
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me'], { ...home.env, ...github });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^dl_[0-9A-Za-z]{36}\n$/);
    expect(stderr).to.match(/local account "me"/);
  });

  const leaf = '\u{1f343}'; // one character, two UTF-16 units
  for (const [what, args, answer] of [
    ['a name with a space', ['--user', 'a b'], /--user must be .* \(got "a b"\)/],
    ['an empty name', ['--user', ''], /--user must be .* \(got ""\)/],
    ['a name of 40 characters', ['--user', 'a'.repeat(40)], /1 to 39/],
    [
      'a label of 101 characters',
      ['--user', 'me', '--label', leaf.repeat(101)],
      /at most 100 characters \(got 101\)/,
    ],
  ] as const) {
    it(`refuses ${what} and exits with 2`, async () => {
      const { stdout, stderr, code } = await dropleaf(['token', ...args], home.env);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(answer);
    });
  }

  it('accepts a label of 100 characters (code points)', async () => {
    const { code } = await dropleaf(['token', '--user', 'me', '--label', leaf.repeat(100)], home.env);
    expect(code).to.equal(0);
  });
});

describe('bin/dropleaf.js sign-in-key', () => {
  const home = useHome();

  it('prints only the key on stdout, the same one while the service runs and after a restart', async () => {
    const service = await home.start();
    const first = await dropleaf(['sign-in-key'], home.env);
    expect(first).to.include({ stderr: '', code: 0 });
    expect(first.stdout).to.match(/^\S{20,}\n$/);
    service.kill('SIGTERM');
    await service.ended();
    expect(await dropleaf(['sign-in-key'], home.env)).to.deep.equal(first);
    await home.start();
    expect(await dropleaf(['sign-in-key'], home.env)).to.deep.equal(first);
  });

  it('prints nothing and exits with 1 if people sign in with GitHub', async () => {
    const { stdout, stderr, code } = await dropleaf(['sign-in-key'], { ...home.env, ...github });
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(
      /^dropleaf: there is no sign-in key: .*GitHub; set SIGN_IN=local,github to have one, too\n$/,
    );
  });
});

describe('bin/dropleaf.js jobs', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  const head = 'name               waiting   active   failed   oldest';
  const rowOf = (stdout: string, name: string) =>
    stdout.split('\n').find((line) => line.startsWith(`${name} `));

  it('prints every name in aligned columns', async () => {
    const { stdout, stderr, code } = await dropleaf(['jobs'], home.env);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const [first, ...rows] = stdout.trimEnd().split('\n');
    expect(first).to.equal(head);
    expect(rows.map((row) => row.split(' ')[0])).to.deep.equal([...jobNames].sort());
    expect(rowOf(stdout, 'drop.remove')).to.equal('drop.remove              0        0        0        -');
  });

  it('prints since when the oldest job is due, and runs no job itself', async () => {
    const { clock, queue, close } = openQueue();
    clock.advance(-250_000);
    await queue.enqueue('drop.remove', { dropId: 'd-1' });
    clock.advance(200_000);
    await queue.enqueue('drop.remove', { dropId: 'd-2' });
    await close();
    for (let round = 0; round < 2; round++) {
      const { stdout } = await dropleaf(['jobs'], home.env);
      expect(rowOf(stdout, 'drop.remove')).to.equal('drop.remove              2        0        0    4 min');
    }
  });

  it('groups failed jobs by name and error, without control characters', async () => {
    await leaveFailedJobs(
      (id) => new Error(`the page of ${id} \u001b[31mis\u009b gone\nand more`),
      ['d-1', 'd-2'],
    );
    const { stdout, stderr, code } = await dropleaf(['jobs'], home.env);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(rowOf(stdout, 'drop.remove')).to.match(/^drop\.remove +0 +0 +2 +-$/);
    const [, failures = ''] = stdout.split('\n\n');
    expect(failures.replace(/[-\d]+T[:.\d]+Z/, 'TIME')).to.equal(
      'failed    drop.remove 2 times\n' +
        '  error    Error: the page of d-2 \ufffd[31mis\ufffd gone\n' +
        '  newest   TIME, after 5 attempts\n' +
        '  id       2\n' +
        '  payload  {"dropId":"d-2"}\n',
    );
  });

  it('says from its first failed attempt on why a job fails', async () => {
    await leaveFailedJobs((id) => new Error(`the edge refused ${id}`), ['d-1', 'd-2'], 1);
    const { stdout } = await dropleaf(['jobs'], home.env);
    expect(rowOf(stdout, 'drop.remove')).to.match(/^drop\.remove +2 +0 +0 /);
    expect(stdout.split('\n\n')[1]).to.equal(
      'retried   drop.remove: 2 jobs will run again\n' +
        '  error    Error: the edge refused d-1\n' +
        '  id       1\n' +
        '  payload  {"dropId":"d-1"}\n',
    );
    const { retries } = JSON.parse((await dropleaf(['jobs', '--json'], home.env)).stdout);
    const next = { id: '1', payload: { dropId: 'd-1' } };
    const error = 'Error: the edge refused d-1';
    expect(retries).to.deep.equal([{ name: 'drop.remove', count: 2, error, next }]);
  });

  it('--json prints counts and failures for programs', async () => {
    await leaveFailedJobs(() => new Error('a bad day'), ['d-1']);
    const { stdout } = await dropleaf(['jobs', '--json'], home.env);
    const { jobs, failures } = JSON.parse(stdout);
    expect(jobs).to.deep.include({
      name: 'drop.remove',
      waiting: 0,
      active: 0,
      failed: 1,
      oldest_due_at: null,
      is_estimate: false,
    });
    expect(failures[0].newest.failed_at).to.be.a('number');
    delete failures[0].newest.failed_at;
    const newest = { id: '1', payload: { dropId: 'd-1' }, attempts: 5 };
    expect(failures).to.deep.equal([{ name: 'drop.remove', count: 1, error: 'Error: a bad day', newest }]);
  });

  it('--retry queues failed jobs again; the running service runs them', async () => {
    await leaveFailedJobs(() => new Error('a bad day'), ['d-1', 'd-2', 'd-3']);
    const retry = (...args: string[]) => dropleaf(['jobs', '--retry', ...args], home.env);
    const unknown = await retry('drop.card');
    expect(unknown).to.deep.equal({
      stdout: '',
      code: 1,
      stderr: 'dropleaf: no failed job has the name or id "drop.card"\n',
    });
    expect((await retry('1')).stdout).to.equal('1 failed job queued again.\n');
    expect((await retry('drop.remove', '--json')).stdout).to.equal('{\n  "retried": 2\n}\n');
    expect(await retry()).to.deep.equal({ stdout: '0 failed jobs queued again.\n', stderr: '', code: 0 });
    await home.start();
    const isDone = async () =>
      /^drop\.remove +0 +0 +0/.test(rowOf((await dropleaf(['jobs'], home.env)).stdout, 'drop.remove') ?? '');
    await until(isDone, 'the service has run the jobs');
  });

  function openQueue() {
    const clock = createTestClock(Date.now());
    const db = openDatabase(join(home.dir, 'dropleaf.sqlite'));
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const queue = new SqliteJobQueue({ db, clock, log, concurrency: 1, wakesItself: false });
    return { clock, queue, close: () => db.close() };
  }

  /** @param attempts of each job; 5 make it fail for good */
  async function leaveFailedJobs(
    reasonOf: (dropId: string) => Error,
    dropIds: string[],
    attempts = 5,
  ): Promise<void> {
    const { clock, queue, close } = openQueue();
    const run = (name: PropertyKey, payload: { dropId: string }) =>
      name === 'drop.remove' ? Promise.reject(reasonOf(payload.dropId)) : Promise.resolve();
    const handlers = new Proxy({} as JobHandlers, {
      get: (_, name) => (payload: { dropId: string }) => run(name, payload), // one for every job
    });
    for (const dropId of dropIds) await queue.enqueue('drop.remove', { dropId });
    queue.start(handlers);
    for (let attempt = 0; attempt < attempts; attempt++) {
      await queue.runUntilIdle().catch(ignore); // rejects with the reason
      clock.advance(60_000);
    }
    await queue.stop(0);
    await close();
  }
});

function ignore(): void {
  // The expected error.
}

interface Me {
  readonly user_id: string;
  readonly token: { readonly id: string; readonly label: string | null };
}

async function readMe(url: string, token: string): Promise<Me> {
  const response = await fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token.trim()}` } });
  expect(response.status).to.equal(200);
  return (await response.json()) as Me; // proof: the tests compare these fields
}
