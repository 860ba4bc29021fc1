import { expect } from 'chai';
import { CliError } from '../../cli/errors.ts';
import { proxyFor, throughProxy } from '../../cli/proxy.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('the proxy of the client', () => {
  const https = 'https://drops.example';
  const http = 'http://drops.example';
  const proxy = 'http://proxy.example:3128';

  const choices: [address: string, env: Record<string, string>, proxy: string | null][] = [
    [https, {}, null],
    [https, { HTTPS_PROXY: proxy }, proxy],
    [https, { https_proxy: proxy }, proxy],
    [https, { https_proxy: proxy, HTTPS_PROXY: 'http://other.example' }, proxy],
    [https, { HTTPS_PROXY: '' }, null],
    [https, { HTTP_PROXY: proxy }, null],
    [https, { HTTPS_PROXY: 'proxy.example:3128' }, proxy],
    [https, { HTTPS_PROXY: 'https://proxy.example' }, 'https://proxy.example'],
    [http, { HTTP_PROXY: proxy }, proxy],
    [http, { http_proxy: proxy }, proxy],
    [http, { HTTPS_PROXY: proxy }, null],
    ['http://127.0.0.1:3000', { HTTP_PROXY: proxy }, null],
    ['http://localhost:3000', { HTTP_PROXY: proxy }, null],
    ['https://[::1]', { HTTPS_PROXY: proxy }, null],
  ];
  for (const [address, env, expected] of choices) {
    it(`for ${address} with ${JSON.stringify(env)} is ${expected}`, async () => {
      expect((await proxyFor(new URL(address), env))?.origin ?? null).to.equal(expected);
    });
  }

  const exceptions: [list: string, address: string, isExempt: boolean][] = [
    ['drops.example', https, true],
    ['DROPS.example', https, true],
    ['example', https, true],
    ['.example', https, true],
    ['*.example', https, true],
    ['ops.example', https, false],
    ['a.drops.example', https, false],
    ['*', https, true],
    ['other.example, drops.example', https, true],
    ['other.example drops.example', https, true],
    [' , ,', https, false],
    ['drops.example:443', https, true],
    ['drops.example:8443', https, false],
    ['drops.example:8443', 'https://drops.example:8443', true],
    ['.example:443', https, true],
    ['10.0.0.5', 'https://10.0.0.5', true],
    ['10.0.0.0/8', 'https://10.0.0.5', true],
    ['10.0.0.0/8', 'https://11.0.0.5', false],
    ['10.0.0.0/99', 'https://10.0.0.5', false],
    ['10.0.0.0/8', https, false],
    ['fd00::/8', 'https://[fd00::5]', true],
    ['fd00::/8', 'https://[fe00::5]', false],
    ['[fd00::5]:443', 'https://[fd00::5]', true],
  ];
  for (const [list, address, isExempt] of exceptions) {
    it(`NO_PROXY=${list} ${isExempt ? 'exempts' : 'does not exempt'} ${address}`, async () => {
      for (const name of ['NO_PROXY', 'no_proxy']) {
        const found = await proxyFor(new URL(address), { HTTPS_PROXY: proxy, [name]: list });
        expect(found === null).to.equal(isExempt);
      }
    });
  }

  it('may have an IPv6 address, and a password with a % that encodes nothing', async () => {
    const address = new URL('http://ada:100%25%@[::1]:3128');
    const options = await throughProxy(new URL(http), address, new AbortController().signal);
    const credentials = Buffer.from('ada:100%%').toString('base64');
    expect(options).to.deep.include({ hostname: '::1', path: `${http}/` });
    expect(options.headers).to.include({ 'Proxy-Authorization': `Basic ${credentials}` });
  });

  it('must be an HTTP proxy; its password is not shown', async () => {
    for (const text of ['socks5://u:secret@proxy.example', 'http://u:secret@']) {
      const error = await rejectionOf(proxyFor(new URL(https), { HTTPS_PROXY: text }));
      expect(error).to.be.instanceOf(CliError);
      expect(error.message)
        .to.match(/^HTTPS_PROXY must be the address of an HTTP proxy/)
        .and.not.to.contain('secret');
    }
  });
});
