import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService, useServices } from '../support/service.ts';

describe('GET /api/onboard', () => {
  const startOwn = useServices();
  const service = useService();

  it('200, Markdown text with the agent protocol; as JSON an object with it and public_url', async () => {
    const { text } = await service.get('/api/onboard');
    for (const part of ['/api/auth/start', '/api/auth/poll', '/api/drops', 'Authorization: Bearer'])
      expect(text).to.include(part);
    const { BASE_URL } = service.config;
    expect(text).to.include(BASE_URL);
    const { body } = await service.get('/api/onboard', { headers: { accept: 'application/json' } });
    expect(body).to.deep.equal({ instructions: text, public_url: BASE_URL });
  });

  it('each call that it names is one of the API', async () => {
    const { text } = await service.get('/api/onboard');
    const { paths } = (await service.get<{ paths: Record<string, object> }>('/openapi.json')).body;
    const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) http:\/\/[^/]+(\/[^`?]*)/g)];
    expect(calls.length).to.be.greaterThan(15);
    for (const [call, method = '', path = ''] of calls)
      expect(paths[path], call).to.have.property(method.toLowerCase());
  });

  it('says that readers write in the browser, and programs on drops of their own account, as the service does', async () => {
    const { text } = await service.get('/api/onboard');
    expect(text.replaceAll('\n', ' '))
      .to.include('Readers, members too, write in the browser')
      .and.include("own account's drops alone");
    const { slug } = await service.newDrop({ comments: 'members' });
    const program = await service.newOwner();
    const written = await program.request('POST', `/api/drops/${slug}/comments`, { body: { text: 'x' } });
    expectError(written, 404, 'not_found');
  });

  it('says who may read a drop, and whom the service recognises', async () => {
    const text = (await service.get('/api/onboard')).text.replaceAll(/\s+/g, ' ');
    for (const part of [
      '| `access` |',
      '| `people` |',
      '`people_add`',
      '/api/shared',
      'Ask your user before',
    ])
      expect(text).to.include(part);
  });

  it('Accept decides between Markdown and JSON', async () => {
    for (const [accept, type] of [
      ['', 'text/markdown'],
      ['*/*', 'text/markdown'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/markdown'],
      ['text/markdown, application/json;q=0.5', 'text/markdown'],
      ['application/json, text/markdown;q=0.5', 'application/json'],
      ['application/json;q=0, */*', 'text/markdown'],
      ['image/png', 'text/markdown'],
    ] as const) {
      const answer = await service.get('/api/onboard', { headers: { accept } });
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type'], accept).to.equal(`${type}; charset=utf-8`);
      expect(answer.headers.vary).to.match(/\baccept\b/i);
    }
  });

  it('public_url: BASE_URL without a trailing slash', async () => {
    const other = await startOwn({ env: { BASE_URL: 'https://drops.example/' } });
    const answer = await other.get('/api/onboard', { headers: { accept: 'application/json' } });
    expect(answer.body.public_url).to.equal('https://drops.example');
    const owner = await other.newOwner();
    const drop = await owner.create();
    expect(drop.url).to.equal(`https://drops.example/p/${drop.slug}`);
    expect(drop.raw_url).to.equal(`https://drops.example/p/${drop.slug}/raw`);
  });
});
