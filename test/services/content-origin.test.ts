import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';
import { commonDomain, readContentOrigin } from '../../shared/config/content-origin.ts';

const BASE_URL = 'https://app.example';

describe('CONTENT_ORIGIN', () => {
  it('is https or http, "*." and a domain, with or without a port; unset by default', () => {
    expect(readConfig({}).CONTENT_ORIGIN).to.equal('');
    for (const [text, protocol, domain, port] of [
      ['https://*.drops.example', 'https:', 'drops.example', ''],
      ['https://*.Drops.Example/', 'https:', 'drops.example', ''],
      ['https://*.drops.example:443', 'https:', 'drops.example', ''],
      ['https://*.drops.example:8443', 'https:', 'drops.example', ':8443'],
      ['http://*.drops.localhost:3000', 'http:', 'drops.localhost', ':3000'],
      ['https://*.bücher.example', 'https:', 'xn--bcher-kva.example', ''],
    ]) {
      expect(readContentOrigin(text ?? ''), text).to.deep.equal({ protocol, domain, port });
    }
  });

  it('any other form is refused', () => {
    const refused =
      `drops.example *.drops.example https://drops.example https://*drops.example https://*. https://*
      https://*.*.drops.example https://*.a.*.example https://a.*.drops.example https://*.drops.example.
      https://*.drops.example/pages https://*.drops.example/? https://*.drops.example/# https://*.drops.example?a=//*.b
      https://user@*.drops.example https://user:hush@*.drops.example ftp://*.drops.example https://*.127.0.0.1
      https://*.[::1] https://*.drops.example:x`.split(/\s+/);
    for (const text of [...refused, 'https://*.drops.example https://*.other.example']) {
      expect(() => readConfig({ BASE_URL, CONTENT_ORIGIN: text }), text).to.throw(
        /\n {2}CONTENT_ORIGIN must be https:\/\/\*\.DOMAIN/,
      );
    }
  });

  it('is refused if its domain equals, contains or is part of the domain of BASE_URL', () => {
    for (const [base, text] of [
      ['https://drops.example', 'https://*.drops.example'],
      ['https://drops.example:8443', 'https://*.drops.example'],
      ['https://drops.example.', 'https://*.drops.example'],
      ['https://www.drops.example', 'https://*.drops.example'],
      ['https://app.example', 'https://*.content.app.example'],
      ['http://localhost:3000', 'http://*.localhost:3000'],
      ['http://localhost:3000', 'http://*.drops.localhost:3000'],
    ]) {
      const read = () => readConfig({ BASE_URL: base, CONTENT_ORIGIN: text });
      expect(read, `${base} ${text}`).to.throw(/CONTENT_ORIGIN must be on another domain than BASE_URL/);
    }
    expect(() => readConfig({ HOST: '0.0.0.0', CONTENT_ORIGIN: 'http://*.localhost:3000' })).to.throw(
      /another domain/,
    );
    for (const [base, text] of [
      ['https://app.example', 'https://*.drops.example'],
      ['https://app.example', 'https://*.myapp.example'],
      ['https://a.b.example', 'https://*.c.b.example'],
      ['http://127.0.0.1:3000', 'http://*.drops.localhost:3000'],
      ['http://[::1]:3000', 'https://*.drops.example'],
    ]) {
      expect(readConfig({ BASE_URL: base, CONTENT_ORIGIN: text }).CONTENT_ORIGIN).to.equal(text);
    }
  });

  it('must be https if BASE_URL is', () => {
    expect(() => readConfig({ BASE_URL, CONTENT_ORIGIN: 'http://*.drops.example' })).to.throw(
      /CONTENT_ORIGIN must be https if BASE_URL is/,
    );
  });

  it('is reported together with an invalid BASE_URL or HOST', () => {
    const read = () => readConfig({ BASE_URL: 'x', HOST: 'a b', CONTENT_ORIGIN: 'y' });
    expect(read)
      .to.throw(/BASE_URL/)
      .with.property('message')
      .that.matches(/CONTENT_ORIGIN/)
      .and.matches(/HOST/);
    expect(() => readConfig({ HOST: 'a b', CONTENT_ORIGIN: 'https://*.drops.example' })).to.throw(/HOST/);
  });

  it('finds the domain that two hosts share', () => {
    expect(commonDomain('drops.example.org', 'app.example.org')).to.equal('example.org');
    expect(commonDomain('a.b.example.org', 'b.example.org')).to.equal('b.example.org');
    for (const [domain, host] of [
      ['drops.example', 'app.example'],
      ['drops.example.org', 'app.example.net'],
      ['drops.localhost', '127.0.0.1'],
    ] as const) {
      expect(commonDomain(domain, host)).to.equal(null);
    }
  });
});
