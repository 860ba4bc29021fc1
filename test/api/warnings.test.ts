import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import { jsonCalls, send, tokenCalls } from '../support/calls.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';

// In a suite of its own: what belongs to no suite is closed after the databases of the tests.
describe('Warnings in answers', () => {
  const service = useService(noLimits);
  const owner = useOwner(service);

  describe('warnings: fields and parameters that were ignored', () => {
    const warningsOf = async (method: string, path: string, body?: object) =>
      (await owner.request(method, path, { body })).body.warnings;

    it('each call names them in its answer, if that is an object', async () => {
      for (const call of tokenCalls) {
        const { owner: own, slug } = await service.newDrop({ context: 'why' });
        await own.put(slug);
        const comment = await own.request('POST', `/api/drops/${slug}/comments`, { body: { text: 'x' } });
        const tokenId = (await (await service.newToken(own)).get('/api/me')).body.token?.id ?? '';
        const hasJson = jsonCalls.includes(call);
        const target = { slug, tokenId, commentId: comment.body.id };
        const unknown = hasJson ? { body: { ...Object(call.body), colour: 1 } } : {};
        const { body, headers } = await send(call, own, target, unknown);
        const isObject = headers['content-type']?.startsWith('application/json') && !Array.isArray(body);
        if (isObject && hasJson)
          expect(body.warnings?.join(), call.name).to.match(/^colour was ignored: the fields are /);
        else expect(body ?? {}, call.name).not.to.have.property('warnings');
      }
      const { body } = await service.request('POST', '/api/auth/start', { body: { name: 'x' } });
      expect(body).to.deep.include({ warnings: ['name was ignored: the fields are label, scope'] });
    });

    for (const [path, warning] of [
      ['/api/drops?page_size=3', 'page_size was ignored: the parameter is called pageSize'],
      ['/api/drops?limit=3', 'limit was ignored: the parameter is called pageSize'],
      ['/api/drops?tags=a', 'tags was ignored: the parameter is called metadata.<key>'],
      ['/api/drops?metadata=a', 'metadata was ignored: the parameter is called metadata.<key>'],
      [
        '/api/drops?zz=a&zz=b',
        'zz was ignored: the parameters are page, pageSize, sortBy, sortOrder, q, metadata.<key>',
      ],
      ['/api/me?included=name', 'included was ignored: the parameters are include'],
      [
        `/api/me?${encodeURIComponent('é'.repeat(100))}`,
        `${'é'.repeat(64)} was ignored: the parameters are include`,
      ],
    ] as const) {
      it(`${path.slice(0, 40)}: ${warning.slice(0, 60)}`, async () => {
        expect(await warningsOf('GET', path)).to.deep.equal([warning]);
      });
    }

    it('a field that is written otherwise, or has another name elsewhere', async () => {
      const { slug } = await owner.create();
      const body = { html: '<p>x', tags: { a: 'b' }, expiresAt: 1, Title: 'T', __proto: 1 };
      const warnings = await warningsOf('PUT', `/api/drops/${slug}`, body);
      expect(warnings?.slice(0, 3)).to.deep.equal([
        'tags was ignored: the field is called metadata',
        'expiresAt was ignored: the field is called expires_at',
        'Title was ignored: the field is called title',
      ]);
      expect(warnings?.[3]).to.match(/^__proto was ignored: the fields are /);
    });

    it('none for what the call takes, and at most 20', async () => {
      expect(await warningsOf('GET', '/api/drops?metadata.a=b&pageSize=1&q=x')).to.equal(undefined);
      expect(await warningsOf('PATCH', `/api/drops/${(await owner.create()).slug}`, { title: 'T' })).to.equal(
        undefined,
      );
      const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, n]));
      const warnings = await warningsOf('POST', '/api/drops', { title: 'T', html: '<p>x', ...many });
      expect(warnings).to.have.length(20);
    });
  });

  describe('warnings: what will not work in the document, or is a risk', () => {
    const token = newToken();
    const html = `<!doctype html><title>T</title>
<img src="logo.png"><link rel=stylesheet href=a.css><link rel=canonical href=/x><a href="other.html">other</a>
<script>const key = '${token}'; localStorage.x = 1</script>`;
    const files = `logo.png, a.css: viewers do not get local files. This puts them into the page: curl -fsSO http`;

    function expectAll(warnings: readonly string[] = []): void {
      const [secret = '', local = '', links = '', storage = '', ...others] = warnings;
      expect(secret).to.match(/^line 3, column 22: Dropleaf token\. Everybody with the address can read it/);
      expect(local)
        .to.include(files)
        .and.to.match(/\/cli\.mjs && node cli\.mjs publish page\.html$/);
      expect(links).to.match(/^other\.html: links to local pages lead nowhere/);
      expect(storage).to.include('localStorage (line 3)');
      expect(others).to.deep.equal([]);
      expect(warnings.join()).not.to.include(token.slice(3, 8));
    }

    /** Each way to publish. */
    const ways: Readonly<Record<string, (owner: Owner) => Promise<{ body: { warnings?: string[] } }>>> = {
      'POST with JSON': (owner) => owner.request('POST', '/api/drops', { body: { title: 'T', html } }),
      'POST with text/html': (owner) =>
        owner.request('POST', '/api/drops', { raw: html, headers: { 'content-type': 'text/html' } }),
      PUT: async (owner) => owner.put((await owner.create()).slug, { html }),
      'an upload': async (owner) => {
        const upload = await owner.request('POST', '/api/uploads', { body: {} });
        return service.request('PUT', new URL(upload.body.upload_url).pathname, {
          raw: html,
          headers: { 'content-type': '' },
        });
      },
    };
    for (const [name, publish] of Object.entries(ways)) {
      it(`${name}: secrets without their text, local files, links, storage`, async () => {
        expectAll((await publish(owner)).body.warnings);
      });
    }

    it('a repeated request has the same warnings', async () => {
      const headers = { 'idempotency-key': 'again' };
      const send = () =>
        owner.request('POST', '/api/drops', { body: { title: 'T', html, tags: 1 }, headers });
      const first = await send();
      const second = await send();
      expect(second.headers['idempotency-replayed']).to.equal('true');
      expect(second.body.warnings).to.deep.equal(first.body.warnings).and.have.length(5);
    });

    it('a secret in the context, and a document that is no HTML', async () => {
      const { body } = await owner.request('POST', '/api/drops', {
        body: { title: 'T', html: 'Only words', context: `see\n ${token}` },
      });
      expect(body.warnings?.map((warning) => warning.slice(0, 35))).to.deep.equal([
        'context, line 2, column 2: Dropleaf',
        'html has no tag, or is no text: it ',
      ]);
    });

    it('of a large document, which is looked at in a thread', async () => {
      const { body } = await owner.request('POST', '/api/drops', {
        body: { title: 'T', html: html + '<p>text</p>'.repeat(100_000) },
      });
      expectAll(body.warnings);
    });

    it('a document of near matches was not looked at whole, and is published', async () => {
      const near = '<img src=//a>'.repeat(100_000);
      const { status, body } = await owner.request('POST', '/api/drops', {
        body: { title: 'T', html: near },
      });
      expect(status).to.equal(201);
      expect(body.warnings?.join()).to.match(/^the document was not looked at whole/);
    });

    it('none of a self-contained page, of a restored version and of later reads', async () => {
      const clean = '<!doctype html><title>T</title><img src="data:,"><a href="https://a.example/">a</a>';
      expect(await owner.create({ html: clean })).not.to.have.property('warnings');
      const { slug } = await owner.create({ html });
      const restored = await owner.request('POST', `/api/drops/${slug}/v/1/restore`);
      expect(restored.body).not.to.have.property('warnings');
      expect((await owner.get(`/api/drops/${slug}`)).body).not.to.have.property('warnings');
    });
  });
});
