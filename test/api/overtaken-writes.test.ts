import { expect } from 'chai';
import { methodsOf } from '../../shared/util/methods.ts';
import { type Call, deleteDrop, dropCalls, dropChanges, send } from '../support/calls.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const operator = { by: 'root', reason: 'phishing' };
const writesPerDay = 3;

const writes: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/api/drops', { title: 'New', html: '<p>New', context: 'why' }],
  ['POST', '/api/drops', { title: 'New', html: '<p>New', passcode: 'open-sesame' }],
  ['PUT', '/api/drops/{slug}', { html: '<p>New', context: 'why' }],
  ['PUT', '/api/drops/{slug}', { html: 'a body that a thread parses '.repeat(50_000) }],
  ['PATCH', '/api/drops/{slug}', { title: 'New' }],
  ['POST', '/api/drops/{slug}/passcode', { passcode: 'open-sesame' }],
];

describe('A write during which', () => {
  let looks = 0;
  /** Called after a token was read, before the service gets it. */
  let afterLook: () => Promise<unknown> = async () => undefined;
  const gate = createGate();
  const gated = ['addVersion', 'changeDetails', 'setLock', 'removeVersion', 'remove'] as const;

  const service = useService({ WRITES_PER_DAY: String(writesPerDay) }, (own) => {
    const findByHash: typeof own.tokens.findByHash = async (hash) => {
      const token = await own.tokens.findByHash(hash);
      looks += 1;
      await afterLook();
      return token;
    };
    const tokens = { ...methodsOf(own.tokens), findByHash };
    return { ...own, tokens, drops: gate.wrap(own.drops, gated) };
  });
  after(() => gate.open());
  afterEach(() => {
    afterLook = async () => undefined;
  });

  /** An account with a drop, and all that is stored for it. */
  async function scene() {
    const { owner, slug } = await service.newDrop();
    return { owner, slug, before: await readAll(owner) };
  }

  const acts: readonly (readonly [
    name: string,
    status: number,
    code: string,
    act: (owner: Owner) => Promise<unknown>,
  ])[] = [
    [
      'its account is suspended',
      403,
      'forbidden',
      async (owner) => service.services.moderation.suspend(await service.accountOf(owner), operator),
    ],
    [
      'its token is revoked',
      401,
      'invalid_token',
      async (owner) => {
        const { body } = await owner.get('/api/me');
        const { status } = await owner.request('DELETE', `/api/tokens/${body.token?.id}`);
        expect(status).to.equal(204);
      },
    ],
    [
      'all tokens of its account are revoked',
      401,
      'invalid_token',
      async (owner) => service.services.moderation.revokeTokens(await service.accountOf(owner), operator),
    ],
  ];

  // Each write with the first act, and each act with the first write.
  const cases = [
    ...writes.map((write) => ({ write, act: acts[0] })),
    ...acts.slice(1).map((act) => ({ write: writes[0], act })),
  ];
  for (const { write, act: described } of cases) {
    if (write === undefined || described === undefined) continue;
    const [method, path, body] = write;
    const [name, status, code, act] = described;
    const title = `${method} ${path} (${Object.keys(body).join(', ')})`;

    /** Nothing is stored, and nothing counts for WRITES_PER_DAY. */
    async function expectUnchanged(owner: Owner, slug: string, before: unknown): Promise<void> {
      await service.services.moderation.unsuspend(await service.accountOf(owner), operator);
      const again = await service.newToken(owner);
      expect(await readAll(again)).to.deep.equal(before);
      for (let n = 1; n < writesPerDay; n++) expect((await again.put(slug)).status).to.equal(200);
    }

    it(`${name}, before its body has arrived: ${title}: ${status} ${code}`, async () => {
      const { owner, slug, before } = await scene();
      const sending = await half(owner, method, path.replace('{slug}', slug), body);
      await act(owner);
      expectError(await sending.rest(), status, code);
      await expectUnchanged(owner, slug, before);
    });

    if (!('passcode' in body)) continue;
    it(`${name}, before its passcode is hashed: ${title}: ${status} ${code}`, async () => {
      const { owner, slug, before } = await scene();
      afterLook = () => {
        afterLook = async () => undefined;
        return act(owner);
      };
      expectError(await owner.request(method, path.replace('{slug}', slug), { body }), status, code);
      await expectUnchanged(owner, slug, before);
    });
  }

  it('another token is revoked or another account is suspended: it is accepted', async () => {
    const { owner, slug } = await scene();
    const sending = await half(owner, 'PATCH', `/api/drops/${slug}`, { title: 'New' });
    const other = await service.newToken(owner);
    const { body } = await other.get('/api/me');
    await owner.request('DELETE', `/api/tokens/${body.token?.id}`);
    const stranger = await service.accountOf(await service.newOwner());
    await service.services.moderation.suspend(stranger, operator);
    expect((await sending.rest()).body.title).to.equal('New');
  });

  /** Sends the request, takes the page down where the record is about to be changed, and lets it continue. */
  async function takenDownDuring(owner: Owner, slug: string, call: Call | undefined) {
    gate.hold();
    const answer = send(call ?? expect.fail(), owner, { slug });
    await until(() => gate.waiting() > 0, 'the change waits for its record');
    await service.services.moderation.takeDown(slug, operator);
    gate.open();
    return answer;
  }

  for (const call of dropChanges) {
    it(`its page is taken down: ${call.name} ${JSON.stringify(call.body) ?? ''}: 403 forbidden as after the takedown, and nothing changes`, async () => {
      const { owner, slug } = await scene();
      await owner.put(slug);
      const before = await readAll(owner);
      service.clock.advance(1); // so that updated_at would tell
      const answer = await takenDownDuring(owner, slug, call);
      expect(expectError(answer, 403, 'forbidden')).to.deep.equal({
        reason: 'phishing',
        taken_down_at: service.clock.now(),
      });
      const later = await send(call, owner, { slug });
      expect(answer.text, 'as one that comes later').to.equal(later.text);
      await service.services.moderation.restore(slug, operator);
      expect(await readAll(owner)).to.deep.equal(before);
      expect((await service.get(`/p/${slug}/raw`)).status, 'without a gate').to.equal(200);
    });
  }

  it('its page is taken down: PUT does not count for WRITES_PER_DAY, and leaves no blobs', async () => {
    const { owner, slug, before } = await scene();
    for (let n = 0; n < writesPerDay; n++) {
      const put = dropChanges.find(({ method }) => method === 'PUT');
      const body = { html: '<p>New', context: 'why' };
      expectError(await takenDownDuring(owner, slug, put && { ...put, body }), 403, 'forbidden');
      await service.services.moderation.restore(slug, operator);
    }
    expect(await readAll(owner)).to.deep.equal(before);
    for (let n = 1; n < writesPerDay; n++) expect((await owner.put(slug)).status).to.equal(200);
  });

  it('its page is taken down: DELETE: 204, and the drop is deleted', async () => {
    const { owner, slug } = await scene();
    const remove = dropCalls.find(({ name }) => name === deleteDrop);
    expect((await takenDownDuring(owner, slug, remove)).status).to.equal(204);
    expectError(await service.get(`/p/${slug}`), 404, 'not_found');
  });

  /** Sends the head and half of the body, until the token has been looked at. */
  async function half({ token }: Owner, method: string, path: string, body: object) {
    const before = looks;
    const bytes = Buffer.from(JSON.stringify(body));
    const middle = bytes.length / 2;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    };
    const connection = await service.connect();
    await connection.send(service.head(method, path, headers));
    await connection.send(bytes.subarray(0, middle));
    await until(() => looks > before, 'the token was looked at');
    return {
      async rest() {
        await connection.send(bytes.subarray(middle));
        try {
          return await connection.answer();
        } finally {
          connection.close();
        }
      },
    };
  }

  /** The owner's drops and their versions, and every blob. */
  async function readAll(owner: Owner) {
    const list = await owner.get<{ data: { slug: string }[] }>('/api/drops');
    const slugs = list.body.data.map(({ slug }) => slug);
    const versions = slugs.map(async (slug) => (await owner.get(`/api/drops/${slug}/versions`)).text);
    const { html, contexts } = service.services.engine;
    const blobs = [html, contexts].map((store) => store.listIds('', 'z', 1_000));
    return [list.text, await Promise.all(versions), await Promise.all(blobs)];
  }
});
