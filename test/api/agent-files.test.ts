import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('Files for agents', () => {
  const service = useService();

  it('the index of Agent Skills 0.2.0 names the skill, with the digest of what is served', async () => {
    const { status, body, headers } = await service.get<{
      $schema: string;
      skills: Record<string, string>[];
    }>('/.well-known/agent-skills/index.json');
    expect(status).to.equal(200);
    expect(headers).to.include({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' });
    expect(body.$schema).to.equal('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    const [{ digest, description, ...entry } = {}] = body.skills;
    expect(entry).to.deep.equal({
      name: 'dropleaf',
      type: 'skill-md',
      url: '/.well-known/agent-skills/dropleaf/SKILL.md',
    });
    const skill = await service.get(String(entry.url));
    expect(skill.headers['content-type']).to.equal('text/markdown; charset=utf-8');
    expect(digest).to.equal(`sha256:${createHash('sha256').update(skill.bytes).digest('hex')}`);
    const [, front = '', text = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(skill.text) ?? [];
    expect(front.split('\n').slice(0, 2)).to.deep.equal([
      'name: dropleaf',
      `description: ${JSON.stringify(description)}`, // a JSON string is a YAML string
    ]);
    expect(description?.length).to.be.within(1, 1024);
    expect(text).to.include(`curl -fsSO ${service.config.BASE_URL}/cli.mjs`);
  });

  it('every address in llms.txt and in the skill answers', async () => {
    for (const file of ['/llms.txt', '/.well-known/agent-skills/dropleaf/SKILL.md']) {
      const { status, text } = await service.get(file);
      expect(status).to.equal(200);
      const base = service.config.BASE_URL;
      const paths = text.match(/http:\/\/[\w.:/-]+\w/g)?.map((address) => address.replace(base, '')) ?? [];
      expect(paths).to.include('/cli.mjs');
      for (const path of new Set(paths)) {
        const answer = await service.get(path || '/');
        expect(answer.status, path).to.equal(path === '/mcp' ? 405 : 200);
      }
    }
  });

  it('no OAuth metadata: 404 with the envelope of the API, so that clients keep the header they were given', async () => {
    for (const name of [
      'oauth-protected-resource',
      'oauth-protected-resource/mcp',
      'oauth-protected-resource/mcp/',
      'oauth-authorization-server',
      'oauth-authorization-server/mcp',
      'openid-configuration',
      'openid-configuration/mcp',
    ]) {
      for (const path of [`/.well-known/${name}`, `/mcp/.well-known/${name}`]) {
        for (const accept of ['application/json', '*/*', 'application/json, text/event-stream']) {
          const answer = await service.get(path, { headers: { accept } });
          expectError(answer, 404, 'not_found');
          expect(answer.headers['content-type']).to.match(/^application\/json/);
        }
      }
    }
    expectError(await service.request('POST', '/register', { body: {} }), 404, 'not_found');
  });
});

describe('GET /', () => {
  const service = useService();

  it('is a page, or the agent protocol if Accept prefers Markdown', async () => {
    const protocol = (await service.get('/api/onboard')).text;
    for (const [accept, type] of [
      ['', 'text/html'],
      ['*/*', 'text/html'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
      ['text/markdown;q=0.5, text/html', 'text/html'],
      ['text/markdown', 'text/markdown'],
      ['text/markdown, text/html;q=0.9, */*;q=0.1', 'text/markdown'],
      ['text/markdown, text/html, */*', 'text/markdown'],
    ] as const) {
      const answer = await service.get('/', { headers: { accept } });
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type'], accept).to.equal(`${type}; charset=utf-8`);
      expect(answer.headers.vary).to.match(/\baccept\b/i);
      if (type === 'text/markdown') expect(answer.text).to.equal(protocol);
    }
  });
});

describe('GET /cli.mjs', () => {
  const service = useService();

  it('is a script that knows the address of this service, and is revalidated', async () => {
    const { status, headers, text } = await service.get('/cli.mjs');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
    expect(headers['cache-control']).to.equal('no-cache');
    expect(headers['x-content-type-options']).to.equal('nosniff');
    expect(text).to.match(/^#!\/usr\/bin\/env node\n/);
    expect(text).to.contain(`\nconst DROPLEAF_SERVED_BY = "${service.config.BASE_URL}";\n`);
  });
});
