import { expect } from 'chai';
import { type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { replyTo, writeComment } from '../support/comments.ts';
import { noLimits } from '../support/no-limits.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { unhurried } from '../support/unhurried.ts';
import type { WireCommentList } from '../support/wire.ts';

describe('Comments of one account at once, over two web processes', () => {
  let cluster: Cluster;
  const clients: Client[] = [];
  const owners: Owner[] = [];

  before(async () => {
    cluster = await openCluster({ ...noLimits, ...unhurried }); // the changes of an account take turns
    const token = await cluster.makeToken('owner');
    for (let left = 2; left > 0; left--) {
      const client = createClient((await cluster.startWeb()).url);
      clients.push(client);
      owners.push(createOwner(client, 'owner', 'owner', token));
    }
  });

  after(async () => {
    for (const client of clients) client.close();
    await cluster?.close();
  });

  const ownerOf = (n: number): Owner => owners[n % 2] ?? expect.fail('there are two');

  it('40 comments and 40 replies: each is answered 201 and stored once', async () => {
    const { slug } = await ownerOf(0).create();
    const written = await Promise.all(
      Array.from({ length: 40 }, (_, n) => writeComment(ownerOf(n), slug, { text: `${n}` }, `key-${n}`)),
    );
    expect(written.map(({ status }) => status)).to.deep.equal(Array<number>(40).fill(201));
    const ids = written.map(({ body }) => body.id);
    const replied = await Promise.all(
      ids.map((id, n) => replyTo(ownerOf(n), id, { text: 'Yes' }, `reply-${n}`)),
    );
    expect(replied.map(({ status }) => status)).to.deep.equal(Array<number>(40).fill(201));
    const { data } = (await ownerOf(0).get<WireCommentList>('/api/comments?limit=100')).body;
    expect(data.map(({ id }) => id)).to.have.members(ids);
    expect(data.map(({ replies }) => replies.length)).to.deep.equal(Array<number>(40).fill(1));
  });
});
