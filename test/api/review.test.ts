import { expect } from 'chai';
import { contentSettings, createContentDrops } from '../support/content-hosts.ts';
import { expectError } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';

describe('GET /p/{slug}/review', () => {
  const service = useService();
  const owner = useOwner(service);

  /** @returns what stands before the script, the script, and what stands after it */
  function divide(text: string): [before: string, script: string, after: string] {
    const found = /^(.*?)(<script>"use strict";\(\(\)=>\{.*?<\/script>)(.*)$/s.exec(text);
    if (found === null) throw new Error('the page has no script of ours');
    const [, before = '', script = '', after = ''] = found;
    return [before, script, after];
  }

  it('the bytes of the raw page and one script, which runs before those of the page', async () => {
    const html =
      '<!doctype html><html><head><title>é 😀</title></head><body><script>top1()</script><p>x</body></html>\n';
    const { slug } = await owner.create({ html });
    const raw = await service.get(`/p/${slug}/raw`);
    const review = await service.get(`/p/${slug}/review?v=1`);
    const [before, script, after] = divide(review.text);
    expect(before + after).to.equal(raw.text);
    expect(before).to.match(/<\/style>$/);
    expect(script.slice('<script>'.length)).to.not.match(/<script|<\/script>./i);
    expect(review.headers['cache-control']).to.equal('private, no-store');
    for (const name of ['etag', 'cache-tag', 'content-encoding'])
      expect(review.headers).to.not.have.property(name);
    for (const name of [
      'content-security-policy',
      'content-type',
      'referrer-policy',
      'x-content-type-options',
    ])
      expect(review.headers[name], name).to.equal(raw.headers[name]);
    expect((await service.get(`/p/${slug}/raw`)).bytes.equals(raw.bytes)).to.equal(true);
  });

  it('a page without our style has it at its end', async () => {
    const { slug } = await owner.create({
      html: '<!doctype html><style data-dropleaf></style><p>x',
    });
    const [before, , after] = divide((await service.get(`/p/${slug}/review`)).text);
    expect([before + after, after]).to.deep.equal([(await service.get(`/p/${slug}/raw`)).text, '']);
  });

  it('HEAD has the length; If-None-Match of the raw page gets the whole page; POST is refused', async () => {
    const { slug } = await owner.create();
    const path = `/p/${slug}/review`;
    const { headers } = await service.get(`/p/${slug}/raw`);
    const whole = await service.get(path, { headers: { 'if-none-match': headers.etag ?? '' } });
    expect(whole.status).to.equal(200);
    const head = await service.request('HEAD', path);
    expect([head.status, head.headers['content-length']]).to.deep.equal([200, String(whole.bytes.length)]);
    expectError(await service.request('POST', path), 405, 'invalid_arg');
  });

  it('a locked page needs a grant; a page that is taken down or unknown is not shown', async () => {
    const { slug } = await owner.create({ passcode: 'open-sesame' });
    expectError(await service.get(`/p/${slug}/review`), 403, 'passcode_required');
    const { pages, passcodes, moderation } = service.services;
    const grant = await passcodes.issue('grant', await pages.find(slug, null));
    const shown = await service.get(`/p/${slug}/review?v=1&g=${grant}`);
    expect([shown.status, shown.headers['cache-control']]).to.deep.equal([200, 'private, no-store']);
    await moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    expectError(await service.get(`/p/${slug}/review?g=${grant}`), 410, 'forbidden');
    expectError(await service.get('/p/none/review'), 404, 'not_found');
  });
});

describe('GET /p/{slug}/review with CONTENT_ORIGIN', () => {
  const service = useService(contentSettings);
  const { withDrop } = createContentDrops(service);

  it("on the drop's own host, and not on that of another one", async () => {
    const one = await withDrop();
    const two = await withDrop();
    const path = `${one.frame.url.pathname.replace('raw', 'review')}${one.frame.url.search}`;
    const shown = await service.get(path, { headers: { host: one.frame.host } });
    expect([shown.status, shown.headers['origin-agent-cluster']]).to.deep.equal([200, '?1']);
    expect(shown.headers['content-security-policy']).to.include('allow-same-origin');
    expectError(await service.get(path, { headers: { host: two.frame.host } }), 404, 'not_found');
  });
});
