import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { knownDataForm } from '../../shared/sqlite/data-form.ts';
import { findDeadUrl } from '../support/listen.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { until } from '../support/until.ts';
import { dropleaf, logOf, type Outcome } from './command.ts';
import { useHome } from './home.ts';

describe('bin/dropleaf.js start', () => {
  const home = useHome();
  const readKey = () => readFileSync(join(home.dir, 'sign-in-key'), 'utf8').trim();

  it('answers at the address that it prints, which its own links contain', async () => {
    const service = await home.start();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    const response = await fetch(`${service.url}/api/onboard`, { headers: { Accept: 'application/json' } });
    expect(await response.json()).to.have.property('public_url', service.url);
    expect(service.output.stdout).to.contain(
      `on the embedded engine (SQLite) and stores its data in ${home.dir}.`,
    );
  });

  it('prints the sign-in key to a terminal', async () => {
    const service = await home.start({}, { isTTY: true });
    expect(service.output.stdout)
      .to.contain(`${service.url}/sign-in with any name and this sign-in key:\n\n  ${readKey()}\n`)
      .and.not.to.contain(' sign-in-key');
  });

  it('prints the command for the sign-in key instead if stdout is not a terminal', async () => {
    const { output } = await home.start();
    expect(output.stdout).to.match(/^ {2}.* sign-in-key$/m);
    expect(output.stdout + output.stderr).not.to.contain(readKey());
  });

  it('names the identity provider instead of a key if one is set', async () => {
    const env = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'hidden-secret' };
    const { output } = await home.start(env);
    expect(output.stdout)
      .to.match(/signing in with GitHub/)
      .and.not.to.match(/sign-in key/);
    expect(output.stdout + output.stderr).not.to.contain('hidden-secret');
  });

  it('names every way to sign in, and the callback addresses of the providers, which the log has, too', async () => {
    const provider = await startOidcServer();
    try {
      const ways = { SIGN_IN: 'oidc,local,github', GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'x' };
      const service = await home.start({ ...provider.env, ...ways });
      const { url, output } = service;
      expect(output.stdout)
        .to.contain(
          `${url}/sign-in by signing in with Example, or by signing in with GitHub, or with any name`,
        )
        .and.to.contain(`Register this callback address at Example: ${url}/sign-in/oidc/callback\n`)
        .and.to.contain(`Register this callback address at GitHub: ${url}/sign-in/github/callback\n`)
        .and.to.match(/ sign-in-key\n/);
      service.kill('SIGTERM');
      const lines = logOf(await service.ended());
      expect(lines.find(({ msg }) => msg === 'service is ready')?.callbacks).to.deep.equal([
        `${url}/sign-in/oidc/callback`,
        `${url}/sign-in/github/callback`,
      ]);
      expect(lines.filter(({ level }) => level !== 'info')).to.deep.equal([]);
    } finally {
      await provider.close();
    }
  });

  it('starts without its OpenID provider, and logs one line that says what is wrong with it', async () => {
    const provider = await startOidcServer();
    try {
      const other = provider.issuer.replace('127.0.0.1', 'localhost');
      for (const [issuer, reason] of [
        [await findDeadUrl(), /ECONNREFUSED/],
        [other, new RegExp(`OIDC_ISSUER is ${other}/, and its document names the issuer ${provider.issuer}`)],
      ] as const) {
        const service = await home.start({ ...provider.env, OIDC_ISSUER: issuer });
        expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
        await until(
          () => service.output.stderr.includes('discovery document'),
          'the line about the provider',
        );
        service.kill('SIGTERM');
        const warnings = logOf(await service.ended()).filter(({ level }) => level === 'warn');
        expect(warnings.map(({ msg }) => msg)).to.deep.equal([
          'nobody can sign in with Example: its discovery document cannot be used',
        ]);
        expect(JSON.stringify(warnings)).to.match(reason).and.not.to.contain(provider.clientSecret);
      }
    } finally {
      await provider.close();
    }
  });

  it('logs at most six lines of JSON on stderr, among them a warning about each misspelled or unused setting', async () => {
    const unused = { EDGE_PURGE_URL: 'http://10.0.0.1:6081', MAX_CONNECTIONS: '100' };
    const service = await home.start({ WRITE_PER_MINUTE: '5', HOSTNAME: 'here', ...unused });
    service.kill('SIGTERM');
    const outcome = await service.ended(); // by then every line is written
    expect(outcome.code).to.equal(0);
    const lines = logOf(outcome);
    expect(lines.length).to.be.at.most(6);
    for (const line of lines) expect(line).to.include.keys('level', 'time', 'msg');
    expect(lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).to.deep.equal([
      'WRITE_PER_MINUTE is not a setting and has no effect. Did you mean WRITES_PER_MINUTE?',
      'EDGE_PURGE_URL has no effect, because EDGE_PURGER is none: changed pages are not purged from the cache',
    ]);
  });

  it('logs one line with version, engine, form, address, port and data, and successful health checks at debug', async () => {
    const service = await home.start({ LOG_LEVEL: 'debug' });
    for (const path of ['/healthz', '/readyz', '/nothing']) await fetch(service.url + path);
    service.kill('SIGTERM');
    const lines = logOf(await service.ended());
    const { time, version, ...started } =
      lines.find(({ msg }) => msg === 'service is ready') ?? expect.fail();
    expect(version).to.match(/^\d+\.\d+\.\d+/);
    expect(started).to.deep.equal({
      level: 'info',
      msg: 'service is ready',
      process: 'start',
      engine: 'embedded',
      data: home.dir,
      form: knownDataForm(),
      address: '127.0.0.1',
      port: Number(new URL(service.url).port),
      baseUrl: service.url,
      callbacks: [],
    });
    const requests = lines
      .filter(({ msg }) => msg === 'request')
      .map(({ path, level }) => `${path} ${level}`);
    expect(requests).to.deep.equal(['/healthz debug', '/readyz debug', '/nothing info']);
  });

  describe('exits with 1 and one sentence on stderr if', () => {
    const start = (env: Record<string, string>) =>
      dropleaf(['start'], { ...home.env, PORT: '0', LOG_LEVEL: 'error', ...env });

    it('the port is in use', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo; // proof: it listens on a port
      const outcome = await start({ PORT: String(port) });
      server.close();
      expectSentence(outcome, `port ${port} on 127.0.0.1 is in use`);
    });

    it('HOST is not an address of this machine', async () => {
      for (const PORT of ['3999', '0']) {
        expectSentence(
          await start({ HOST: '192.0.2.1', PORT }),
          'HOST is "192.0.2.1", which is not an address',
        );
      }
    });

    it('another Dropleaf uses the data directory, which is not disturbed', async () => {
      const service = await home.start();
      expectSentence(await start({}), home.dir);
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    });

    it('the data directory cannot be created', async () => {
      const file = join(home.dir, 'file');
      writeFileSync(file, '');
      // In /proc a recursive mkdir never returns.
      for (const dir of [join(file, 'data'), file, '/proc/no-such-directory']) {
        expectSentence(await start({ DATA_DIR: dir }), `DATA_DIR ${dir} `);
      }
    });
  });
});

function expectSentence({ stdout, stderr, code }: Outcome, part: string): void {
  expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
  expect(stderr)
    .to.contain(part)
    .and.to.match(/^dropleaf: [^\n]+\n$/);
}
