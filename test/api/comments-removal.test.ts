import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { insertComment } from '../contract/records.ts';
import { type Owner, useServiceOfEach } from '../support/service.ts';
import type { WireComment, WireCommentList } from '../support/wire.ts';

const hour = 3_600_000;
const paragraph = (text: string) => `<p>Sales in May: <b>${text}</b> pieces</p>`;

describe('Comments, after a change of what they are about', () => {
  let isBroken = false;
  const service = useServiceOfEach({}, (engine) => {
    const { change } = methodsOf(engine.comments);
    const comments: typeof engine.comments = {
      ...methodsOf(engine.comments),
      async change(read, next, ...rest) {
        if (isBroken && next.fields.state === 'resolved') throw unavailable('away');
        return change(read, next, ...rest);
      },
    };
    return { ...engine, comments };
  });
  afterEach(() => {
    isBroken = false;
  });

  async function write(owner: Owner, slug: string, fields: object = {}): Promise<WireComment> {
    const body = { text: 'It is wrong', ...fields };
    const answer = await owner.request<WireComment>('POST', `/api/drops/${slug}/comments`, { body });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }

  const list = async (owner: Owner, query = 'state=all') =>
    (await owner.get<WireCommentList>(`/api/comments?${query}`)).body;
  const inLatest = async (owner: Owner) => (await list(owner)).data.map(({ anchor }) => anchor?.in_latest);
  const stored = () => service.services.engine.comments.listIds('', 'z', 100);

  it('go with a deleted version, and with a deleted drop', async () => {
    const { owner, slug } = await service.newDrop();
    await owner.put(slug);
    for (const version of [1, 2]) await write(owner, slug, { version });
    const other = await owner.create();
    await write(owner, other.slug);
    await owner.request('DELETE', `/api/drops/${slug}/v/1`);
    await service.settle();
    expect((await list(owner)).data.map(({ drop, version }) => [drop, version])).to.deep.equal([
      [slug, 2],
      [other.slug, 1],
    ]);
    await owner.request('DELETE', `/api/drops/${slug}`);
    await service.settle();
    expect((await list(owner)).data.map(({ drop }) => drop)).to.deep.equal([other.slug]);
    expect(await stored()).to.have.length(1);
  });

  it('go with a drop that expires, and with a deleted account', async () => {
    const expiring = await service.newDrop({ expires_at: service.clock.now() + hour });
    await write(expiring.owner, expiring.slug);
    const { owner, slug } = await service.newDrop();
    await write(owner, slug);
    service.clock.advance(hour + 60_000);
    await service.settle();
    expect(await stored()).to.have.length(1);
    await owner.request('DELETE', `/api/me?confirm=${owner.userId}`);
    await service.settle();
    expect(await stored()).to.deep.equal([]);
  });

  it('a comment that was stored while its drop was removed goes an hour later', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = await write(owner, slug);
    const comment = await service.services.engine.comments.find(id);
    await owner.request('DELETE', `/api/drops/${slug}`);
    await service.settle();
    if (comment === null) throw new Error('there is no comment');
    await insertComment(service.services.engine.comments, comment, service.clock.now());
    for (let n = 0; n < 2; n++) {
      service.clock.advance(hour);
      await service.settle();
    }
    expect(await stored()).to.deep.equal([]);
  });

  it('know whether their quote is in the latest version, and that is no news', async () => {
    const { owner, slug } = await service.newDrop({ html: paragraph('42') });
    const anchor = { quote: 'May: 42 pieces', prefix: '', suffix: '' };
    await write(owner, slug, { anchor });
    await write(owner, slug, { anchor: { ...anchor, quote: 'drawn by a script' } });
    const { next } = await list(owner);
    const once = async (change: Promise<{ status: number }>) => {
      expect((await change).status).to.be.oneOf([200, 204]);
      await service.settle();
      return inLatest(owner);
    };
    expect(await inLatest(owner)).to.deep.equal(['kept', 'kept']);
    expect(await once(owner.put(slug, { html: paragraph('43') }))).to.deep.equal(['changed', 'unknown']);
    const [first] = (await list(owner)).data;
    expect(first?.anchor).to.deep.include({ quote: anchor.quote, changed_to: 'May: 43 pieces' });
    expect(await once(owner.put(slug, { html: `<h1>New</h1>${paragraph('42')}` }))).to.deep.equal([
      'kept',
      'unknown',
    ]);
    expect((await list(owner)).data[0]?.anchor).to.not.have.property('changed_to');
    expect(await once(owner.put(slug, { html: '<h1>New</h1>' }))).to.deep.equal(['gone', 'unknown']);
    expect(await once(owner.request('DELETE', `/api/drops/${slug}/v/4`))).to.deep.equal(['kept', 'unknown']);
    expect(await once(owner.request('DELETE', `/api/drops/${slug}/v/3`))).to.deep.equal([
      'changed',
      'unknown',
    ]);
    const other = await service.newToken(owner);
    expect((await list(other, `state=all&after=${next}`)).data).to.deep.equal([]);
  });

  it('on an older version it is known soon', async () => {
    const { owner, slug } = await service.newDrop({ html: paragraph('42') });
    await owner.put(slug, { html: paragraph('43') });
    await write(owner, slug, { version: 1, anchor: { quote: '42', prefix: '', suffix: '' } });
    await service.settle();
    expect(await inLatest(owner)).to.deep.equal(['changed']);
  });

  it('are resolved by the job of the version, if the process ended after the version was stored', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = await write(owner, slug);
    await service.settle();
    isBroken = true;
    const put = await owner.put(slug, { resolves: [id], resolves_reply: 'Done' });
    expect(put.status, put.text).to.equal(200);
    await service.restart();
    expect((await list(owner)).data[0]?.state).to.equal('open');
    isBroken = false;
    service.clock.advance(10 * 60_000);
    await service.settle();
    const [thread] = (await list(owner)).data;
    expect(thread).to.deep.include({ state: 'resolved', resolved_by_version: 2 });
    expect(thread?.replies.map(({ text }) => text)).to.deep.equal(['Done']);
  });
});
