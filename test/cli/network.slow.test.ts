import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { listen } from '../support/listen.ts';
import { requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';
import { usePublisher } from './publisher.ts';

describe('dropleaf behind a proxy, and over http', () => {
  const publisher = usePublisher();
  const { client, write } = publisher;
  const certificate = join(makeTempDir(), 'cert.pem');
  let tls: Server;
  let tlsPort: number;
  let proxy: ForwardProxy;

  before(async function () {
    const keyFile = `${certificate}.key`;
    const name = ['-subj', '/CN=drops.example', '-addext', 'subjectAltName=DNS:drops.example,IP:10.0.0.5'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
    const openssl = requireProgram(this, 'openssl');
    execFileSync(openssl, ['req', '-x509', '-days', '2', ...name, ...key, '-out', certificate], {
      stdio: 'ignore',
    });
    const files = { cert: readFileSync(certificate), key: readFileSync(keyFile) };
    const { port } = new URL(publisher.service.url);
    tls = createServer(files, (socket) => {
      const service = connect(Number(port), '127.0.0.1');
      service.pipe(socket).pipe(service);
      for (const end of [socket, service]) end.on('error', () => service.destroy());
    });
    tlsPort = await listen(tls);
  });
  after(() => void tls?.close());
  afterEach(() => proxy?.close());

  async function start(credentials: string | null): Promise<void> {
    const http = Number(new URL(publisher.service.url).port);
    const ports = { 'drops.example:443': tlsPort, '10.0.0.5:443': tlsPort, 'dropleaf:3000': http };
    proxy = await startForwardProxy(ports, credentials);
  }
  const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    client.run([...args, '--timeout', '20'], {
      env: { DROPLEAF_TOKEN: publisher.owner.token, NODE_EXTRA_CA_CERTS: certificate, ...env },
    });
  const lines = () => proxy.requests.map(({ line }) => line);

  for (const [variable, url, tunnel] of [
    ['HTTPS_PROXY', 'https://drops.example', 'CONNECT drops.example:443'],
    ['https_proxy', 'https://10.0.0.5', 'CONNECT 10.0.0.5:443'],
  ] as const) {
    for (const credentials of [null, 'ada:p@ss word']) {
      it(`publishes to ${url} through a tunnel of ${variable} ${credentials ? 'with' : 'without'} a password, which gets no token`, async () => {
        await start(credentials);
        write('a.html', '<title>A</title>');
        const user = credentials === null ? '' : 'ada:p%40ss%20word@';
        const { stdout, stderr, code } = await run(['publish', 'a.html'], {
          DROPLEAF_URL: url,
          [variable]: `http://${user}127.0.0.1:${proxy.port}`,
        });
        expect(code, stderr).to.equal(0);
        expect(stdout).to.match(/^http\S+\n$/);
        expect(await publisher.drops()).to.have.length(1);
        expect(new Set(lines())).to.deep.equal(new Set([tunnel]));
        expect(JSON.stringify(proxy.requests)).to.not.contain(publisher.owner.token);
      });
    }
  }

  it('names the proxy and its status if it wants a password, does not know the host, or is not there', async () => {
    await start('ada:secret');
    const address = `http://127.0.0.1:${proxy.port}`;
    const https = 'https://drops.example';
    const failures: [variable: string, url: string, through: string, problem: string][] = [
      ['HTTPS_PROXY', https, address, 'with status 407, so it asks for a user and password'],
      ['HTTPS_PROXY', https, address.replace('//', '//ada:no@'), 'with status 407'],
      ['HTTPS_PROXY', 'https://other.example', address.replace('//', '//ada:secret@'), 'with status 502'],
      ['HTTPS_PROXY', https, 'http://127.0.0.1:1', 'proxy http://127.0.0.1:1: nothing answers'],
      ['HTTP_PROXY', 'http://dropleaf:3000', address, 'status 407: the proxy asks for a user and password'],
    ];
    for (const [variable, url, through, problem] of failures) {
      const env = { DROPLEAF_URL: url, [variable]: through };
      const { stdout, stderr, code } = await run(['unlock', 'abc', '--insecure-http'], env);
      expect({ stdout, code }, stderr).to.deep.equal({ stdout: '', code: 3 });
      expect(stderr).to.contain(problem).and.not.to.contain('secret').and.not.to.contain('ada:');
    }
  });

  it('does not send a token to a service over http unless the user allowed it once, and logout forgets that', async () => {
    await start(null);
    const env = { DROPLEAF_URL: 'http://dropleaf:3000', http_proxy: `http://127.0.0.1:${proxy.port}` };
    const refused = await run(['whoami'], env);
    expect(refused).to.include({ stdout: '', code: 2 });
    expect(refused.stderr).to.match(/add --insecure-http once: .* for http:\/\/dropleaf:3000\n$/);
    expect(proxy.requests).to.have.length(0);
    const allowed = await run(['whoami', '--insecure-http'], env);
    expect(allowed.code, allowed.stderr).to.equal(0);
    expect(allowed.stderr).to.match(/^From now on http:\/\/dropleaf:3000 is used without --insecure-http/);
    expect(await run(['whoami'], env)).to.include({ code: 0, stderr: '' });
    expect(lines()).to.have.length(2);
    for (const line of lines()) expect(line).to.match(/^GET http:\/\/dropleaf:3000\/api\/me(?=\?|$)/);
    const other = await run(['whoami'], { ...env, DROPLEAF_URL: 'http://10.0.0.5' });
    expect(other.code, 'the consent is for one service').to.equal(2);
    expect((await run(['logout'], env)).code).to.equal(0);
    expect((await run(['whoami'], env)).code).to.equal(2);
  });

  it('reaches this machine without the proxy', async () => {
    const env = { DROPLEAF_URL: publisher.service.url, HTTP_PROXY: 'http://127.0.0.1:1' };
    expect((await run(['whoami'], env)).code).to.equal(0);
  });
});
