import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { optionEntries } from '../../shared/config/config.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

const hush = 'hush-hush-hush-hush-hush-hush-hush';

describe('Secrets from files', () => {
  const home = useHome();

  function write(name: string, content: string): string {
    const path = join(home.dir, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  it('are the values of their settings, marked and hidden, without the end of the line', async () => {
    const SIGNING_SECRET_FILE = write('signing', `${hush}\n`);
    const EDGE_PURGE_TOKEN_FILE = write('purge', `${hush}\r\n`); // a line's end could not stand in a header
    const { stdout, stderr, code } = await dropleaf(['config'], {
      SIGNING_SECRET_FILE,
      EDGE_PURGE_TOKEN_FILE,
    });
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^SIGNING_SECRET +\(set, hidden\) {2}\(from file\)$/m);
    expect(stdout).to.match(/^EDGE_PURGE_TOKEN +\(set, hidden\) {2}\(from file\)$/m);
    expect(stdout).to.match(/^GITHUB_CLIENT_SECRET +\(unset\)$/m);
    expect(stdout).to.not.contain('hush');
  });

  it('are taken for every setting that is secret, and for no other', async () => {
    const secret = optionEntries().filter(([, option]) => option.secret);
    expect(secret.map(([name]) => name)).to.include.members([
      'MONGODB_URI',
      'REDIS_URL',
      'GITHUB_CLIENT_SECRET',
      'SIGNING_SECRET',
      'SIGNING_SECRETS_ACCEPTED',
      'EDGE_PURGE_TOKEN',
    ]);
    const missing = join(home.dir, 'missing');
    const all = Object.fromEntries(optionEntries().map(([name]) => [`${name}_FILE`, missing]));
    const { stderr, code } = await dropleaf(['config'], all);
    expect(code).to.equal(1);
    const named = stderr.split('\n').flatMap((line) => /^ +([A-Z_]+) cannot be read/.exec(line)?.[1] ?? []);
    expect(named).to.deep.equal(secret.map(([name]) => name));
  });

  it('that are not there, not to be read, or empty stop the start, which names the setting and the path', async () => {
    const directory = join(home.dir, 'directory');
    mkdirSync(directory);
    const cases: [path: string, why: string][] = [
      [join(home.dir, 'missing'), 'there is no such file'],
      [directory, 'it is a directory'],
      [write('empty', ''), 'the file is empty'],
      [write('line', '\n'), 'the file is empty'],
    ];
    if (process.getuid?.() !== 0) {
      const closed = write('closed', hush);
      chmodSync(closed, 0o000);
      cases.push([closed, 'this user may not read it']);
    }
    for (const [path, why] of cases) {
      const env = { ...home.env, PORT: '0', SIGNING_SECRET_FILE: path };
      const { stdout, stderr, code } = await dropleaf(['start'], env);
      expect({ stdout, code }, why).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.contain(`SIGNING_SECRET cannot be read from ${path} (SIGNING_SECRET_FILE): ${why}`);
    }
  });

  it('stop the start beside a value of the environment, and neither is told', async () => {
    const SIGNING_SECRET_FILE = write('signing', hush);
    const env = { ...home.env, PORT: '0', SIGNING_SECRET: `other-${hush}`, SIGNING_SECRET_FILE };
    const { stderr, code } = await dropleaf(['start'], env);
    expect(code).to.equal(1);
    expect(stderr).to.match(/SIGNING_SECRET and SIGNING_SECRET_FILE are both set/);
    expect(stderr).to.not.contain('hush');
  });

  it('that are no good are refused among all other faults, and not repeated', async () => {
    const env = { PORT: 'x', SIGNING_SECRET_FILE: write('signing', 'hush'), GITHUB_CLIENT_ID: 'id' };
    const GITHUB_CLIENT_SECRET_FILE = join(home.dir, 'missing');
    const { stderr, code } = await dropleaf(['config'], { ...env, GITHUB_CLIENT_SECRET_FILE });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dropleaf: The configuration has 3 faults:$/m);
    for (const name of ['PORT must', 'SIGNING_SECRET must', 'GITHUB_CLIENT_SECRET cannot']) {
      expect(stderr).to.match(new RegExp(`^ +${name} `, 'm'));
    }
    expect(stderr).to.not.contain('hush');
  });

  it('of other settings are not in the way of a command that needs the data only', async () => {
    await makeData(home.dir);
    const env = { ...home.env, GITHUB_CLIENT_SECRET_FILE: join(home.dir, 'missing') };
    expect(await dropleaf(['token', '--user', 'me'], env)).to.include({ stderr: '', code: 0 });
  });

  it('may say where MongoDB and Redis are', async () => {
    const MONGODB_URI_FILE = write('mongodb', 'mongodb://user:hush@127.0.0.1:1/dropleaf\n');
    const REDIS_URL_FILE = write('redis', 'redis://:hush@127.0.0.1:1\n');
    const { stderr, code } = await dropleaf(['web'], {
      ...home.env,
      PORT: '0',
      MONGODB_URI_FILE,
      REDIS_URL_FILE,
    });
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain('127.0.0.1:1')
      .and.to.match(/MongoDB/);
    expect(stderr).to.not.contain('hush');
  });

  it('are read by a service that starts', async () => {
    const service = await home.start({ SIGNING_SECRET_FILE: write('signing', hush) });
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    expect(new URL(service.url).port).to.not.equal('0');
  });
});
