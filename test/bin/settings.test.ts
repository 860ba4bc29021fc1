import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { optionEntries, options } from '../../shared/config/config.ts';
import { listen } from '../support/listen.ts';
import { dropleaf, type Env } from './command.ts';
import { useHome } from './home.ts';

const secret = 'do-not-show-this-to-anybody-at-all';

describe('bin/dropleaf.js config', () => {
  it('prints every setting, and marks defaults', async () => {
    const { stdout, stderr, code } = await dropleaf(['config'], { PORT: '8080', HOST: '' });
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(Object.keys(options));
    expect(lines[0]).to.match(/^PORT +8080$/);
    expect(lines[1]).to.match(/^HOST +127\.0\.0\.1 +\(default\)$/);
    expect(lines[2]).to.match(/^BASE_URL +http:\/\/127\.0\.0\.1:8080 +\(default\)$/);
  });

  it('hides secrets', async () => {
    const { stdout, stderr } = await dropleaf(['config'], { SIGNING_SECRET: secret });
    expect(stdout).to.match(/^SIGNING_SECRET +\(set, hidden\)$/m);
    expect(stdout + stderr).not.to.contain(secret);
  });

  it('lists every invalid setting and exits with 2, after which systemd does not start it again', async () => {
    const env = { PORT: 'http', WRITES_PER_DAY: '0', GITHUB_CLIENT_ID: 'x', SIGNING_SECRET: 'short-secret' };
    const { stdout, stderr, code } = await dropleaf(['config'], env);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
    for (const name of ['PORT', 'WRITES_PER_DAY', 'GITHUB_CLIENT_SECRET', 'SIGNING_SECRET']) {
      expect(stderr).to.match(new RegExp(`^ +${name} `, 'm'));
    }
    expect(stderr).not.to.contain('short-secret');
  });

  it('warns on stderr about a misspelled name, also if another setting is invalid', async () => {
    const warning = 'dropleaf: BASEURL is not a setting and has no effect. Did you mean BASE_URL?\n';
    const misspelled = { BASEURL: 'https://drops.example' };
    expect(await dropleaf(['config'], misspelled)).to.include({ stderr: warning, code: 0 });
    const { stderr, code } = await dropleaf(['config'], { ...misspelled, PORT: 'x' });
    expect(code).to.equal(2);
    expect(stderr.startsWith(`${warning}dropleaf: `), stderr).to.equal(true);
  });

  it('warns about EDGE_PURGE_URL without a purger', async () => {
    const env = { EDGE_PURGE_URL: 'http://10.0.0.1:6081' };
    const { stderr, code } = await dropleaf(['config'], env);
    expect(stderr).to.match(/^dropleaf: EDGE_PURGE_URL has no effect, because EDGE_PURGER is none/);
    expect(code).to.equal(0);
    expect(await dropleaf(['config'], { ...env, EDGE_PURGER: 'varnish' })).to.include({ stderr: '' });
  });

  it('warns if OIDC_ALLOWED_GROUPS does not limit everybody who can sign in', async () => {
    const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'x', OIDC_ALLOWED_GROUPS: '/staff' };
    expect(await dropleaf(['config'], oidc)).to.include({ stderr: '', code: 0 });
    const { stderr, code } = await dropleaf(['config'], { ...oidc, SIGN_IN: 'oidc,local' });
    expect(stderr).to.equal(
      'dropleaf: OIDC_ALLOWED_GROUPS does not limit people who sign in by local: set SIGN_IN=oidc if nobody else may sign in\n',
    );
    expect(code).to.equal(0);
  });

  it('ignores white space at the ends of values, and refuses what is used as it is, as start does', async () => {
    const padded = { GITHUB_CLIENT_ID: 'abc\n', GITHUB_CLIENT_SECRET: 'x\r\n', PORT: ' 8080', HOST: ' ' };
    const { stdout, code } = await dropleaf(['config'], padded);
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^GITHUB_CLIENT_ID +abc$/m)
      .and.match(/^PORT +8080$/m)
      .and.match(/^HOST +127\.0\.0\.1 +\(default\)$/m);
    await expectRefused(
      { DATA_DIR: './data\n' },
      'DATA_DIR must not begin or end with white space, such as a line break: remove it, ' +
        'and rename the folder if its name has it (got "./data\\n")',
    );
  });

  it('refuses the same port for pages and metrics, as start does', async () => {
    await expectRefused(
      { PORT: '38123', METRICS_PORT: '38123' },
      'PORT and METRICS_PORT are both 38123: set another METRICS_PORT',
    );
  });

  it('refuses addresses that the drivers of MongoDB and Redis refuse, as start does', async () => {
    const servers = { MONGODB_URI: 'mongodb://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' };
    expect(await dropleaf(['config'], servers)).to.include({ stderr: '', code: 0 });
    for (const [name, value, sentence] of [
      [
        'MONGODB_URI',
        'mongodb://u:s3cret@h/x?color=red',
        'MONGODB_URI is invalid: option color is not supported',
      ],
      [
        'MONGODB_URI',
        'mongodb://u:s3cret@h:99999/x',
        'MONGODB_URI is invalid: Unable to parse h:99999 with URL',
      ],
      ['REDIS_URL', 'redis://:s3cret@h/x', 'REDIS_URL must be like redis://user:password@host:6379/0 or'],
    ] as const) {
      await expectRefused({ ...servers, [name]: value }, sentence);
    }
  });

  it('fails if a service could not listen here, also below its list, and not if the port is in use', async () => {
    for (const name of ['HOST', 'METRICS_HOST']) {
      const env = { [name]: '192.0.2.1', METRICS_PORT: '9464' };
      const { stdout, stderr, code } = await dropleaf(['config'], env);
      expect(stdout).to.match(new RegExp(`^${name} +192\\.0\\.2\\.1$`, 'm'));
      expect({ stderr, code }).to.deep.equal({
        stderr: `dropleaf: ${name} is "192.0.2.1", which is not an address of this machine\n`,
        code: 1,
      });
    }
    const server = createServer();
    const port = await listen(server);
    expect(await dropleaf(['config'], { PORT: String(port) })).to.include({ stderr: '', code: 0 });
    server.close();
  });

  it('prints the stack of an error only with LOG_LEVEL=debug', async () => {
    const quiet = await dropleaf(['config'], { PORT: 'x' });
    const debug = await dropleaf(['config'], { PORT: 'x', LOG_LEVEL: 'debug' });
    expect(quiet.stderr).not.to.match(/^ +at /m);
    expect(debug.stderr).to.match(/^ +at /m);
  });
});

/** Whether `config` and `start` exit with 2 and that sentence. */
async function expectRefused(env: Env, sentence: string): Promise<void> {
  for (const command of ['config', 'start']) {
    const { stdout, stderr, code } = await dropleaf([command], env);
    expect({ stdout, code }, command).to.deep.equal({ stdout: '', code: 2 });
    expect(stderr, command).to.match(/^dropleaf: 1 setting is invalid:\n/);
    expect(stderr, command).to.include(`\n  ${sentence}`);
    expect(stderr, command).to.not.include('s3cret');
  }
}

describe('A secret in a file', () => {
  const home = useHome();

  function write(name: string, content: string): string {
    const path = join(home.dir, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  it('is read without the final line break, and config marks and hides it', async () => {
    const env = {
      SIGNING_SECRET_FILE: write('signing', `${secret}\n`),
      EDGE_PURGE_TOKEN_FILE: write('purge', `${secret}\r\n`), // a line break is not allowed in a header
    };
    const { stdout, stderr, code } = await dropleaf(['config'], env);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^SIGNING_SECRET +\(set, hidden\) {2}\(from file\)$/m);
    expect(stdout).to.match(/^EDGE_PURGE_TOKEN +\(set, hidden\) {2}\(from file\)$/m);
    expect(stdout).to.match(/^GITHUB_CLIENT_SECRET +\(unset\)$/m);
    expect(stdout).to.not.contain(secret);
  });

  it('with more white space at an end is refused if it is used as it is, else read without it; its path, too', async () => {
    const signing = { SIGNING_SECRET_FILE: write('signing', `${secret}\n\n`) };
    const { stderr, code } = await dropleaf(['config'], signing);
    expect(code).to.equal(2);
    expect(stderr)
      .to.match(/^ +SIGNING_SECRET must not begin or end with white space/m)
      .and.not.contain(secret);
    const env = {
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET_FILE: `${write('github', `\ufeff${secret} \n`)}\n`,
      SIGNING_SECRET: secret,
      SIGNING_SECRET_FILE: ' ',
    };
    expect(await dropleaf(['config'], env)).to.include({ stderr: '', code: 0 });
  });

  it('is supported by every secret setting, and by no other setting', async () => {
    const secrets = optionEntries().flatMap(([name, option]) => (option.secret ? [name] : []));
    expect(secrets).to.include.members([
      'MONGODB_URI',
      'REDIS_URL',
      'GITHUB_CLIENT_SECRET',
      'SIGNING_SECRET',
    ]);
    const all = optionEntries().map(([name]) => [`${name}_FILE`, join(home.dir, 'missing')]);
    const { stderr, code } = await dropleaf(['config'], Object.fromEntries(all));
    expect(code).to.equal(2);
    const named = [...stderr.matchAll(/^ +([A-Z_]+) cannot be read/gm)].map(([, name]) => name);
    expect(named).to.deep.equal(secrets);
  });

  it('that is missing, unreadable or empty stops the start; the error names the setting and the path', async () => {
    const directory = join(home.dir, 'directory');
    mkdirSync(directory);
    const cases: [path: string, reason: string][] = [
      [join(home.dir, 'missing'), 'the file does not exist'],
      [directory, 'it is a directory'],
      [write('empty', ''), 'the file is empty'],
      [write('line', '\n'), 'the file is empty'],
      [write('blank', ' \n\n'), 'the file is empty'],
    ];
    if (process.getuid?.() !== 0) {
      const unreadable = write('unreadable', secret);
      chmodSync(unreadable, 0o000);
      cases.push([unreadable, 'permission denied']);
    }
    for (const [path, reason] of cases) {
      const { stderr, code } = await dropleaf(['start'], {
        ...home.env,
        PORT: '0',
        SIGNING_SECRET_FILE: path,
      });
      expect(code, reason).to.equal(2);
      expect(stderr).to.contain(
        `SIGNING_SECRET cannot be read from ${path} (SIGNING_SECRET_FILE): ${reason}`,
      );
    }
  });

  it('beside the variable itself stops the start, and neither value is printed', async () => {
    const env = { SIGNING_SECRET: `other-${secret}`, SIGNING_SECRET_FILE: write('signing', secret) };
    const { stderr, code } = await dropleaf(['start'], { ...home.env, PORT: '0', ...env });
    expect(code).to.equal(2);
    expect(stderr).to.match(/SIGNING_SECRET and SIGNING_SECRET_FILE are both set/);
    expect(stderr).to.not.contain(secret);
  });

  it('that is invalid is listed with all other invalid settings, and its content is not printed', async () => {
    const env = {
      PORT: 'x',
      SIGNING_SECRET_FILE: write('signing', 'hush'),
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET_FILE: join(home.dir, 'missing'),
    };
    const { stderr, code } = await dropleaf(['config'], env);
    expect(code).to.equal(2);
    for (const name of ['PORT must', 'SIGNING_SECRET must', 'GITHUB_CLIENT_SECRET cannot']) {
      expect(stderr).to.match(new RegExp(`^ +${name} `, 'm'));
    }
    expect(stderr).to.not.contain('hush');
  });
});
