import { expect } from 'chai';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

describe('dropleaf token', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));

  it('prints a token alone on stdout, good at once with the service that runs', async () => {
    const service = await home.start();
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me', '--label', 'laptop'], {
      ...home.env,
    });
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^dl_[0-9A-Za-z]{36}\n$/);
    const me = await readMe(service.url, stdout.trim());
    expect(me).to.have.nested.property('token.label', 'laptop');
  });

  it('makes tokens of one account for one name, however it is written, while the service does not run', async () => {
    const first = await dropleaf(['token', '--user', 'me'], home.env);
    const second = await dropleaf(['token', '--user', ' ME '], home.env);
    const other = await dropleaf(['token', '--user', 'you'], home.env);
    const service = await home.start();
    const { url } = service;
    const [mine, mineToo, yours] = await Promise.all(
      [first, second, other].map(({ stdout }) => readMe(url, stdout.trim())),
    );
    expect(mine?.user_id).to.equal(mineToo?.user_id).and.not.to.equal(yours?.user_id);
    expect(mine?.token.id).not.to.equal(mineToo?.token.id);
    expect(mine?.token.label).to.equal(null);
  });

  it('needs DATA_DIR and nothing else: faults of other settings are not in its way', async () => {
    const { stdout, code } = await dropleaf(['token', '--user', 'me'], {
      ...home.env,
      PORT: 'x',
      PAGE_SIZE: '-1',
    });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^dl_/);
  });

  it('says on stderr that the account is a local one where people sign in with GitHub', async () => {
    const env = { ...home.env, GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me'], env);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^dl_[0-9A-Za-z]{36}\n$/);
    expect(stderr).to.match(/local account "me"/);
  });

  const refused: [what: string, args: string[], answer: RegExp][] = [
    ['a name with a space', ['--user', 'a b'], /--user "a b"/],
    ['an empty name', ['--user', ''], /--user ""/],
    ['a name of 40 characters', ['--user', 'a'.repeat(40)], /at most 39/],
    ['a label of 101 characters', ['--user', 'me', '--label', '\u{1f343}'.repeat(101)], /at most 100/],
  ];
  for (const [what, args, answer] of refused) {
    it(`refuses ${what} with exit code 2`, async () => {
      const { stdout, stderr, code } = await dropleaf(['token', ...args], home.env);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(answer);
    });
  }

  it('takes a label of 100 characters, counted as people count them', async () => {
    const { code } = await dropleaf(['token', '--user', 'me', '--label', '\u{1f343}'.repeat(100)], {
      ...home.env,
    });
    expect(code).to.equal(0);
  });
});

interface Me {
  readonly user_id: string;
  readonly token: { readonly id: string; readonly label: string | null };
}

async function readMe(url: string, token: string): Promise<Me> {
  const response = await fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).to.equal(200);
  return (await response.json()) as Me; // proof: what the test reads of it is compared
}
