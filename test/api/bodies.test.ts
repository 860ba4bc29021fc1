import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Call, jsonCalls, pathOf } from '../support/calls.ts';
import type { Answer } from '../support/client.ts';
import { longestTurnOf } from '../support/cpu.ts';
import { expectError } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import { exchange } from '../support/socket.ts';

const acceptHeaders: Readonly<Record<string, string>> = {
  POST: 'accept-post',
  PUT: 'accept',
  PATCH: 'accept-patch',
};
const valid = JSON.stringify({ title: 't', html: 'h' });

describe('Request bodies', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000', SIGN_IN_STARTS_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  /** Makes every call that takes JSON. */
  async function forEachCall(
    make: (call: Call, path: string, owner: Owner) => Promise<unknown>,
  ): Promise<void> {
    const { owner, slug } = await service.newDrop();
    for (const call of jsonCalls) await make(call, pathOf(call, owner, { slug }), owner);
  }

  describe('are JSON', () => {
    const broken: readonly (readonly [string, string | Uint8Array])[] = [
      ['no JSON', 'title=t'],
      ['half of it', '{"title":"t","html":'],
      ['something behind it', '{} {}'],
      ['a trailing comma', '{"title":"t",}'],
      ['single quotes', "{'title':'t'}"],
      ['white space only', '  '],
      ['a bare control character in a string', '{"title":"a\nb"}'],
      ['NaN', '{"title":NaN}'],
      [
        'not UTF-8: a byte that never occurs',
        Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      ],
      ['not UTF-8: UTF-16', Buffer.from(valid, 'utf16le')],
    ];
    for (const [name, raw] of broken) {
      it(`${name}: 400 invalid_json`, async () => {
        await forEachCall(async ({ method }, path, owner) =>
          expectError(await owner.request(method, path, { raw }), 400, 'invalid_json'),
        );
      });
    }

    it('a large body that is not JSON, or not UTF-8: 400 invalid_json', async () => {
      const text = `{"title":"t","html":"${'x'.repeat(2_000_000)}`;
      expectError(await owner.request('POST', '/api/drops', { raw: text }), 400, 'invalid_json');
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('"}')]);
      expectError(await owner.request('POST', '/api/drops', { raw: bytes }), 400, 'invalid_json');
    });

    it('JSON that is not an object: 400 invalid_arg', async () => {
      for (const raw of ['null', '[]', '"text"', '7', 'true', '[{"title":"t","html":"h"}]']) {
        expectError(await owner.request('POST', '/api/drops', { raw }), 400, 'invalid_arg');
      }
    });

    it('no body counts as {}', async () => {
      const path = `/api/drops/${(await owner.create()).slug}`;
      expectError(await owner.request('POST', '/api/drops'), 400, 'title_required');
      expectError(await owner.request('PUT', path), 400, 'html_required');
      expect((await owner.request('PATCH', path)).status).to.equal(200);
      expectError(await owner.request('POST', `${path}/passcode`), 400, 'passcode_required');
      expect((await service.request('POST', '/api/auth/start')).status).to.equal(200);
      expectError(await owner.request('POST', '/api/drops', { raw: '' }), 400, 'title_required');
    });

    it('deep nesting and 900,000 keys are refused while other requests are answered', async () => {
      const many = Array.from({ length: 900_000 }, (_, index) => `"k${index}":1`).join();
      for (const raw of ['['.repeat(12_000_000), `{"a":`.repeat(2_000_000), `{${many}}`]) {
        const send = async () => {
          let isOver = false;
          const sent: Promise<Answer> = owner.request('POST', '/api/drops', { raw }).finally(() => {
            isOver = true;
          });
          while (!isOver) expect((await service.get('/healthz')).status).to.equal(200);
          expect((await sent).status).to.equal(400);
        };
        expect(await longestTurnOf(send, 500), 'the longest turn of the event loop').to.be.below(500);
      }
    });
  });

  describe('content type and encoding', () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/jsonp',
      'application/json; charset=utf-16',
      'application/json; charset=utf-7',
      'application/json; charset=iso-8859-1',
      'json',
      '',
    ]) {
      it(`Content-Type: ${type || '(none)'} with a body: 415 invalid_json`, async () => {
        await forEachCall(async ({ method, operation }, path, owner) => {
          const answer = await owner.request(method, path, { raw: valid, headers: { 'content-type': type } });
          const details = expectError(answer, 415, 'invalid_json');
          const accepted = operation.body?.html ? 'application/json, text/html' : 'application/json';
          expect(details).to.deep.include({ header: 'Content-Type', accepted });
          const must = accepted.replace(', ', ' or ');
          expect(answer.body.error.message).to.equal(
            `Content-Type must be ${must}, in UTF-8 (got ${type || 'none'})`,
          );
          expect(answer.headers[acceptHeaders[method] ?? ''], `${method} ${path}`).to.equal(accepted);
        });
      });
    }

    for (const [name, value] of [
      ['content-type', 'application/json'],
      ['content-type', 'APPLICATION/JSON'],
      ['content-type', 'application/json; charset=utf-8'],
      ['content-type', 'application/json;charset="UTF-8"'],
      ['content-encoding', 'identity'],
      ['transfer-encoding', 'chunked'],
    ] as const) {
      it(`${name}: ${value}: legal`, async () => {
        const length = name === 'transfer-encoding' && { 'content-length': '' };
        const options = { raw: valid, headers: { ...length, [name]: value } };
        expect((await owner.request('POST', '/api/drops', options)).status).to.equal(201);
      });
    }

    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x']) {
      it(`Content-Encoding: ${encoding}: 415 invalid_json`, async () => {
        await forEachCall(async ({ method }, path, owner) => {
          const options = { raw: gzipSync(valid), headers: { 'content-encoding': encoding } };
          const answer = await owner.request(method, path, options);
          expect(expectError(answer, 415, 'invalid_json').header).to.equal('Content-Encoding');
          expect(answer.headers['accept-encoding'], `${method} ${path}`).to.equal('identity');
        });
      });
    }
  });

  describe('authentication comes before the body', () => {
    const head = { 'content-type': 'application/json', 'content-length': '10000000' };

    it('10 MB without a token: 401 before the body arrives', async () => {
      await forEachCall(async ({ method, needsToken }, path) => {
        if (needsToken) expectError(await service.sendHead(method, path, head), 401, 'unauthorized');
      });
    });

    it('10 MB with a bad token: 401 before the body arrives', async () => {
      const headers = { ...head, authorization: 'Bearer dl_nope' };
      expectError(await service.sendHead('POST', '/api/drops', headers), 401, 'invalid_token');
    });

    it('10 MB without a token, sent whole before the answer is read: 401', async () => {
      const answer = await service.sendWhole('POST', '/api/drops', {}, Buffer.alloc(10_000_000, 'x'));
      expectError(answer, 401, 'unauthorized');
    });

    it('a body of the wrong kind without a token: 401', async () => {
      const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
      expectError(await service.request('POST', '/api/drops', { raw: 'x', headers }), 401, 'unauthorized');
    });
  });

  describe('larger than any legal request', () => {
    const big = Buffer.alloc(20 * 1024 * 1024, 'x');

    it('where a document may come: 400 html_too_large, else 413 invalid_arg, even if the client reads only after it has sent everything', async () => {
      await forEachCall(async ({ method, operation }, path, owner) => {
        const headers = { authorization: `Bearer ${owner.token}` };
        const answer = await service.sendWhole(method, path, headers, big);
        if (operation.body?.html) {
          expect(expectError(answer, 400, 'html_too_large').max_bytes).to.equal(2_097_152);
          return;
        }
        const { max_bytes } = expectError(answer, 413, 'invalid_arg');
        expect(max_bytes).to.be.a('number').above(0);
        const chunks = { 'content-length': '', 'transfer-encoding': 'chunked' };
        expectError(await owner.request(method, path, { raw: big, headers: chunks }), 413, 'invalid_arg');
      });
    });

    it('the same in chunks, without a length', async () => {
      const headers = { 'content-length': '', 'transfer-encoding': 'chunked' };
      const answer = await owner.request('POST', '/api/drops', { raw: big, headers });
      expect(expectError(answer, 400, 'html_too_large').max_bytes).to.equal(2_097_152);
    });

    it('a PATCH with a whole html by mistake: 400 metadata_only_on_patch', async () => {
      const { slug } = await owner.create();
      const body = { html: 'x'.repeat(2_097_152) };
      const answer = await owner.request('PATCH', `/api/drops/${slug}`, { body });
      expectError(answer, 400, 'metadata_only_on_patch');
    });

    it('the largest valid PATCH is accepted', async () => {
      const { slug } = await owner.create();
      const astral = (count: number) => '\\ud83d\\ude00'.repeat(count);
      const keys = Array.from({ length: 10 }, (_, index) => `"${String(index).repeat(64)}":"${astral(256)}"`);
      const raw = `{"title":"${astral(200)}","description":"${astral(500)}","metadata":{${keys.join()}}}`;
      expect((await owner.request('PATCH', `/api/drops/${slug}`, { raw })).status).to.equal(200);
    });
  });

  describe('of forms', () => {
    const formType = 'application/x-www-form-urlencoded';

    const post = (path: string, form: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
      service.request('POST', path, {
        raw: form,
        headers: {
          'content-type': formType,
          origin: service.url,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      });

    it('with a transfer coding: 415 invalid_arg', async () => {
      const headers = { 'content-type': formType, origin: service.url, 'transfer-encoding': 'gzip, chunked' };
      const request = `${service.head('POST', '/sign-in', headers)}6\r\ncode=x\r\n0\r\n\r\n`;
      expectError(await exchange(service.url, request), 415, 'invalid_arg');
    });

    it('in another charset: 415 says what is accepted', async () => {
      const { slug } = await (await service.newOwner()).create({ passcode: 'abcd' });
      const answer = await post(`/p/${slug}`, 'passcode=x', {
        'content-type': `${formType}; charset=utf-16`,
      });
      const details = expectError(answer, 415, 'invalid_arg');
      expect(details).to.deep.include({ header: 'Content-Type', accepted: formType });
      expect(answer.headers['accept-post']).to.equal(formType);
    });

    for (const [name, headers, form, status] of [
      ['that are compressed', { 'content-encoding': 'gzip' }, 'passcode=x', 415],
      ['that are not UTF-8', {}, Buffer.from('passcode=abcd\xff', 'latin1'), 400],
      ['that are not UTF-8 once they are read', {}, 'passcode=abcd%ff', 400],
    ] as const) {
      it(`${name}: ${status} invalid_arg`, async () => {
        const { slug } = await (await service.newOwner()).create({ passcode: 'abcd\ufffd' });
        expectError(await post(`/p/${slug}`, form, headers), status, 'invalid_arg');
      });
    }
  });
});
