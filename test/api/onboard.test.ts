import { expect } from 'chai';
import { startService, useService } from '../support/service.ts';

describe('GET /api/onboard', () => {
  const service = useService();

  it('200, by default Markdown text with the agent protocol', async () => {
    const answer = await service.get('/api/onboard');
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.match(/^text\/markdown; *charset=utf-8$/);
    for (const part of ['/api/auth/start', '/api/auth/poll', '/api/drops', 'Authorization: Bearer']) {
      expect(answer.text).to.include(part);
    }
    expect(answer.text).to.include(service.config.BASE_URL);
  });

  it('with Accept: application/json, an object with instructions and public_url', async () => {
    const answer = await service.get('/api/onboard', { headers: { accept: 'application/json' } });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.match(/^application\/json/);
    expect(answer.body).to.have.all.keys('instructions', 'public_url');
    expect(answer.body.public_url).to.equal(service.config.BASE_URL);
    expect(answer.body.instructions).to.equal((await service.get('/api/onboard')).text);
  });

  it('each call that it names is one of the API', async () => {
    const { text } = await service.get('/api/onboard');
    const { paths } = (await service.get<{ paths: Record<string, object> }>('/openapi.json')).body;
    const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) http:\/\/[^/]+(\/[^`?]*)/g)];
    expect(calls.length).to.be.greaterThan(15);
    for (const [call, method = '', path = ''] of calls)
      expect(paths[path], call).to.have.property(method.toLowerCase());
  });

  it('Accept decides between Markdown and JSON', async () => {
    for (const [accept, type] of [
      ['*/*', 'text/markdown'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/markdown'],
      ['text/markdown, application/json;q=0.5', 'text/markdown'],
      ['application/json, text/markdown;q=0.5', 'application/json'],
      ['application/json;q=0, */*', 'text/markdown'],
      ['image/png', 'text/markdown'],
    ] as const) {
      const answer = await service.get('/api/onboard', { headers: { accept } });
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']?.split(';')[0], accept).to.equal(type);
      expect(answer.headers.vary).to.match(/\baccept\b/i);
    }
  });

  it('public_url: BASE_URL without a trailing slash', async () => {
    const other = await startService({ env: { BASE_URL: 'https://drops.example/' } });
    try {
      const answer = await other.get('/api/onboard', { headers: { accept: 'application/json' } });
      expect(answer.body.public_url).to.equal('https://drops.example');
      const owner = await other.newOwner();
      const drop = await owner.create();
      expect(drop.url).to.equal(`https://drops.example/p/${drop.slug}`);
      expect(drop.raw_url).to.equal(`https://drops.example/p/${drop.slug}/raw`);
    } finally {
      await other.stop();
    }
  });
});
