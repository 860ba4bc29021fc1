import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const operator = { by: 'root', reason: null };

const writes: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/api/drops', { title: 'New', html: '<p>New', context: 'why' }],
  ['POST', '/api/drops', { title: 'New', html: '<p>New', passcode: 'open-sesame' }],
  ['PUT', '/api/drops/{slug}', { html: '<p>New', context: 'why' }],
  ['PUT', '/api/drops/{slug}', { html: 'a body that a thread parses '.repeat(50_000) }],
  ['PATCH', '/api/drops/{slug}', { title: 'New' }],
  ['POST', '/api/drops/{slug}/passcode', { passcode: 'open-sesame' }],
];

describe('Suspension and revocation during a write', () => {
  let looks = 0;
  /** Called after a token was read, before the service gets it. */
  let afterLook: () => Promise<unknown> = async () => undefined;

  const service = useService({ WRITES_PER_DAY: '2' }, (own) => {
    const findByHash: typeof own.tokens.findByHash = async (hash) => {
      const token = await own.tokens.findByHash(hash);
      looks += 1;
      await afterLook();
      return token;
    };
    return { ...own, tokens: { ...own.tokens, findByHash } };
  });
  afterEach(() => {
    afterLook = async () => undefined;
  });

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
      async (owner) => service.services.moderation.suspend(await accountOf(owner), operator),
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
      async (owner) => service.services.moderation.revokeTokens(await accountOf(owner), operator),
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
    const fields = Object.keys(body).join(', ');
    it(`${method} ${path} (${fields}), ${name} before its body has arrived: ${status} ${code}`, async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const before = await readAll(owner);
      const sending = await half(owner, method, path.replace('{slug}', slug), body);
      await act(owner);
      expectError(await sending.rest(), status, code);
      const { moderation } = service.services;
      await moderation.unsuspend(await accountOf(owner), operator);
      const again = await service.newToken(owner);
      expect(await readAll(again), 'nothing is stored').to.deep.equal(before);
      expect((await again.put(slug)).status, 'the day has a write left').to.equal(200);
    });

    if (!('passcode' in body)) continue;
    it(`${method} ${path} (${fields}), ${name} before its passcode is hashed: ${status} ${code}`, async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const before = await readAll(owner);
      afterLook = () => {
        afterLook = async () => undefined;
        return act(owner);
      };
      expectError(await owner.request(method, path.replace('{slug}', slug), { body }), status, code);
      await service.services.moderation.unsuspend(await accountOf(owner), operator);
      expect(await readAll(await service.newToken(owner))).to.deep.equal(before);
    });
  }

  it('a write is accepted if another token is revoked or another account is suspended', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const sending = await half(owner, 'PATCH', `/api/drops/${slug}`, { title: 'New' });
    const other = await service.newToken(owner);
    const { body } = await other.get('/api/me');
    await owner.request('DELETE', `/api/tokens/${body.token?.id}`);
    await service.services.moderation.suspend(await accountOf(await service.newOwner()), operator);
    expect((await sending.rest()).body.title).to.equal('New');
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

  async function accountOf(owner: Owner) {
    const [account] = await service.services.moderation.findAccounts(owner.userId);
    if (account === undefined) throw new Error('there is no such account');
    return account;
  }
});
