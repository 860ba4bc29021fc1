import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { proxied } from '../support/proxied.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';

const operator = { by: 'root', reason: 'phishing' };

/** What each call does with it: every-call.test.ts. */
describe('If-Match', () => {
  const service = useService({ WRITES_PER_DAY: '4' });
  const owner = useOwner(service);

  /** With two versions; both raised its revision. */
  async function createDrop(owner: Owner) {
    const { slug } = await owner.create();
    const { headers, body } = await owner.put(slug);
    return { slug, etag: headers.etag ?? '', drop: body };
  }

  function change(
    owner: Owner,
    slug: string,
    ifMatch: string,
    [method, body]: readonly [string, object] = ['PUT', { html: '<p>New' }],
  ) {
    return owner.request(method, `/api/drops/${slug}`, { body, headers: { 'if-match': ifMatch } });
  }

  it('is never required, and only a change by the owner or an operator moves the ETag', async () => {
    const { slug, etag } = await createDrop(owner);
    await service.get(`/p/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0' } });
    await service.settle();
    const read = await owner.get(`/api/drops/${slug}`, { headers: { 'if-none-match': etag } });
    expect(read.status, 'never 304: view_count changes without the ETag').to.equal(200);
    expect(read.headers.etag).to.equal(etag);
    await service.services.moderation.takeDown(slug, operator);
    await service.services.moderation.restore(slug, operator);
    expectError(await change(owner, slug, etag), 412, 'version_conflict');
    expect((await owner.put(slug)).status).to.equal(200);
  });

  it('"*", a list and a tag that a proxy has changed match', async () => {
    const { slug } = await owner.create();
    const patch = ['PATCH', { title: 'New' }] as const;
    const forms = [
      '*',
      ' * ',
      '"ETAG"',
      'W/"ETAG"',
      '"0", "ETAG"',
      ',, "x" ,W/"ETAG",\t',
      '"999999999999999","ETAG"',
      ...proxied.map((suffix) => `"ETAG${suffix}"`),
      'W/"ETAG-gzip"',
      '"0-gzip", W/"ETAG-br"',
    ];
    for (const form of forms) {
      const { etag = '' } = (await owner.get(`/api/drops/${slug}`)).headers;
      const answer = await change(owner, slug, form.replace('ETAG', etag.replaceAll('"', '')), patch);
      expect(answer.status, form).to.equal(200);
    }
  });

  it('a tag that no drop has does not match: 412', async () => {
    const { slug } = await createDrop(owner); // its revision is 2
    const tags = [
      '""',
      '"02"',
      '"2.0"',
      '"0x2"',
      '"+2"',
      '"abc"',
      '"-2"',
      '"1-gzip"',
      '"2-gzip-gzip"',
      '"2-gzip;br"',
      '"2-1"',
      '"2-"',
      '"2gzip"',
      '"-gzip"',
      '"02-gzip"',
      '"gzip-2"',
      `"2${'-gzip'.repeat(200)}"`,
      '"é"',
      '"9999999999999999999"',
    ];
    for (const tag of [...tags, '"1","3"', Array.from({ length: 2_000 }, (_, n) => `"${n + 3}"`).join()]) {
      expectError(await change(owner, slug, tag), 412, 'version_conflict');
    }
  });

  it('a malformed value is 400 invalid_arg that names the header, and changes nothing', async () => {
    const { slug, drop } = await createDrop(owner);
    const malformed = [
      ' ',
      ',',
      '2',
      '"2',
      '2"',
      '*, "2"',
      '"2" "1"',
      'w/"2"',
      'W/ "2"',
      '"2";',
      '"2 "',
      "'2'",
      '**',
    ];
    for (const value of [...malformed, `"2"${','.repeat(8_000)}x`]) {
      const { field } = expectError(await change(owner, slug, value), 400, 'invalid_arg');
      expect(field, value).to.equal('If-Match');
    }
    expect((await owner.get(`/api/drops/${slug}`)).body).to.deep.equal(drop);
  });

  it('PUT with a text/html body: the same', async () => {
    const { slug, etag } = await createDrop(owner);
    const put = (tag: string) => {
      const headers = { 'content-type': 'text/html', 'if-match': tag };
      return owner.request('PUT', `/api/drops/${slug}`, { raw: '<p>New', headers });
    };
    expectError(await put('"1"'), 412, 'version_conflict');
    expect((await put(etag)).headers.etag).to.equal('"3"');
  });

  it('a refused write does not count for the day', async () => {
    const { slug, etag } = await createDrop(owner);
    for (let n = 0; n < 5; n++) expectError(await change(owner, slug, '"1"'), 412, 'version_conflict');
    expect((await change(owner, slug, etag)).status).to.equal(200);
    expect((await owner.put(slug)).status).to.equal(200);
    expectError(await owner.put(slug), 429, 'daily_quota_exceeded');
  });
});
