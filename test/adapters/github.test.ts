import { inspect } from 'node:util';
import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { createGitHub } from '../../shared/sign-ins/github.ts';
import { useEach } from '../support/between.ts';
import { startGitHubDouble } from '../support/github-double.ts';

const callbackUrl = 'https://drops.example/sign-in/github/callback';

describe('GitHub as identity provider', () => {
  const double = useEach(startGitHubDouble);

  function connect(changes: object | false = {}) {
    const { url, apiUrl, clientId, clientSecret } = double;
    return createGitHub({ url, apiUrl, clientId, clientSecret, ...changes });
  }

  async function signIn(provider = connect(), change: (returnedTo: URL) => void = () => undefined) {
    const { url, visit } = await provider.begin(callbackUrl);
    const returnedTo = await double.visit(url);
    change(returnedTo);
    const person = await provider.finish(returnedTo, callbackUrl, visit);
    return person?.identity ?? null;
  }

  /** @returns all that a log could show */
  async function expectUnavailable(attempt: Promise<unknown>): Promise<string> {
    const error = await attempt.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(DropError).with.property('code', 'unavailable');
    expect(error).to.have.nested.property('details.retry_after_seconds').that.is.a('number');
    expect(error).to.have.nested.property('cause.reason').that.is.a('string').and.not.equal('');
    const shown = inspect(error, { depth: 9, showHidden: true });
    for (const secret of [double.clientSecret, ...double.secrets]) expect(shown).to.not.include(secret);
    return shown;
  }

  it('asks for the scope read:user only, with state and PKCE S256', async () => {
    const { url, visit } = await connect().begin(callbackUrl);
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).to.equal(`${double.url}/login/oauth/authorize`);
    expect(Object.fromEntries(searchParams)).to.include({
      response_type: 'code',
      client_id: double.clientId,
      redirect_uri: callbackUrl,
      scope: 'read:user',
      state: visit.state,
      code_challenge_method: 'S256',
    });
    expect(url).to.not.include(visit.codeVerifier).and.not.include(double.clientSecret);
  });

  it('each visit has its own state and verifier', async () => {
    const provider = connect();
    const visits = await Promise.all(Array.from({ length: 20 }, () => provider.begin(callbackUrl)));
    expect(new Set(visits.map(({ visit }) => visit.state))).to.have.property('size', 20);
    expect(new Set(visits.map(({ visit }) => visit.codeVerifier))).to.have.property('size', 20);
  });

  it('identifies a user by the numeric id, with one use of the token; the name may change', async () => {
    expect(await signIn()).to.deep.equal({
      provider: `github:${double.url}`,
      subject: '583231',
      name: 'octocat',
    });
    expect(double.requests).to.deep.equal(['POST /login/oauth/access_token', 'GET /api/v3/user']);
    double.user = { id: 583231, login: 'monalisa' };
    expect(await signIn()).to.include({ subject: '583231', name: 'monalisa' });
  });

  it('reads the primary address if it is verified, and only where it is told to', async () => {
    double.scope = 'read:user user:email';
    const provider = connect({ readsEmail: true });
    const readEmail = async () => {
      const { url, visit } = await provider.begin(callbackUrl);
      return (await provider.finish(await double.visit(url), callbackUrl, visit))?.email;
    };
    const primary = { email: 'Octo@Example.org', primary: true, verified: true };
    for (const [emails, email] of [
      [[{ ...primary, email: 'other@example.org', primary: false }, primary], 'octo@example.org'],
      [
        [
          { ...primary, verified: false },
          { ...primary, primary: false },
        ],
        null,
      ],
      [[{ ...primary, email: 'öcto@example.org' }], null],
      [[null, 'x', {}], null],
      [[], null],
    ] as const) {
      double.emails = emails;
      expect(await readEmail(), JSON.stringify(emails)).to.equal(email);
    }
    for (const emails of [null, {}, 'x']) {
      double.emails = emails;
      expect(await expectUnavailable(readEmail())).to.include('The e-mail addresses');
    }
  });

  it('asks who the person is if they want another account', async () => {
    const asked = async (asksWho?: boolean) => {
      const { url } = await connect().begin(callbackUrl, asksWho);
      return new URL(url).searchParams.get('prompt');
    };
    expect([await asked(), await asked(true)]).to.deep.equal([null, 'select_account']);
  });

  it('ignores a slash at the end of its addresses: the account is the same', async () => {
    const identity = await signIn(connect({ url: `${double.url}/`, apiUrl: `${double.apiUrl}/` }));
    expect(identity).to.include({ provider: `github:${double.url}` });
  });

  it('works below a path, as Gitea and Forgejo are often installed', async () => {
    const below = await startGitHubDouble({ root: '/git' });
    try {
      Object.assign(below, { dialect: 'gitea', issuer: null });
      const { url, apiUrl, clientId, clientSecret } = below;
      const provider = createGitHub({ url, apiUrl, clientId, clientSecret });
      const { url: authorizeUrl, visit } = await provider.begin(callbackUrl);
      const person = await provider.finish(await below.visit(authorizeUrl), callbackUrl, visit);
      expect(person?.identity).to.include({ provider: `github:${url}`, subject: '583231' });
    } finally {
      await below.close();
    }
  });

  for (const [which, issuer] of [
    ['none', () => null],
    ["GitHub's, with its path", () => `${double.url}/login/oauth`],
    ['the bare address', () => double.url],
  ] as const) {
    it(`accepts the issuer in the return: ${which}`, async () => {
      double.issuer = issuer();
      expect(await signIn()).to.include({ name: 'octocat' });
    });
  }

  describe('null: nobody signed in', () => {
    it('the user refused', async () => {
      double.answer = 'refuses';
      expect(await signIn()).to.equal(null);
      expect(double.requests).to.deep.equal([]);
    });

    const forgeries: Record<string, (returnedTo: URL) => void> = {
      'another state': ({ searchParams }) => searchParams.set('state', 'another'),
      'no state': ({ searchParams }) => searchParams.delete('state'),
      'two states': ({ searchParams }) => searchParams.append('state', 'another'),
      'another state and issuer': ({ searchParams }) => {
        searchParams.set('state', 'another');
        searchParams.set('iss', 'https://evil.example/login/oauth');
      },
      'two issuers': ({ searchParams }) => searchParams.append('iss', 'https://evil.example/login/oauth'),
      'no code': ({ searchParams }) => searchParams.delete('code'),
      'an empty code': ({ searchParams }) => searchParams.set('code', ''),
      'two codes': ({ searchParams }) => searchParams.append('code', 'another'),
      'a code and a token': ({ searchParams }) => searchParams.set('token', 'x'),
      'nothing at all': (url) => {
        url.search = '';
      },
    };
    for (const [what, forge] of Object.entries(forgeries)) {
      it(`the browser returned with ${what}: no request to the provider`, async () => {
        expect(await signIn(connect(), forge)).to.equal(null);
        expect(double.requests).to.deep.equal([]);
      });
    }

    for (const dialect of ['github', 'gitea'] as const) {
      it(`the code is unknown, was used before, or belongs to another visit (${dialect})`, async () => {
        double.dialect = dialect;
        const provider = connect();
        const unknown = ({ searchParams }: URL) => searchParams.set('code', 'made-up');
        expect(await signIn(provider, unknown)).to.equal(null);

        const mine = await provider.begin(callbackUrl);
        const theirs = await provider.begin(callbackUrl);
        const returnedTo = await double.visit(mine.url);
        expect((await provider.finish(returnedTo, callbackUrl, mine.visit))?.identity).to.include({
          name: 'octocat',
        });
        expect(await provider.finish(returnedTo, callbackUrl, mine.visit)).to.equal(null);

        const otherReturn = await double.visit(theirs.url);
        otherReturn.searchParams.set('state', mine.visit.state);
        expect(await provider.finish(otherReturn, callbackUrl, mine.visit), 'PKCE').to.equal(null);
      });
    }
  });

  describe('unavailable: the provider fails', () => {
    const faults = [
      'status 500',
      'hang',
      'drop',
      'garbage',
      'a list',
      'empty',
      'too large',
      'a redirect',
    ] as const;
    for (const fault of faults) {
      for (const endpoint of ['token', 'user'] as const) {
        it(`the ${endpoint} endpoint: ${fault}`, async () => {
          double.faults = { [endpoint]: fault };
          const provider = connect(fault === 'hang' && { timeoutMs: 300 });
          await expectUnavailable(signIn(provider));
        });
      }
    }

    for (const changes of [
      ...['583231', 0, -1, 1.5, 2 ** 53, null].map((id) => ({ id })),
      ...['', 7].map((login) => ({ login })),
    ]) {
      it(`a user with ${JSON.stringify(changes)}`, async () => {
        double.user = { id: 583231, login: 'octocat', ...changes };
        await expectUnavailable(signIn());
      });
    }

    for (const dialect of ['github', 'gitea'] as const) {
      it(`the client secret is wrong (${dialect}): the log says so`, async () => {
        double.dialect = dialect;
        const told = await expectUnavailable(signIn(connect({ clientSecret: 'wrong' })));
        expect(told).to.match(/incorrect_client_credentials|unauthorized_client/);
      });
    }

    it('the provider reports an error of its own in the return', async () => {
      const provider = connect();
      const attempt = signIn(provider, ({ searchParams }) =>
        searchParams.set('error', 'redirect_uri_mismatch'),
      );
      expect(await expectUnavailable(attempt)).to.include('redirect_uri_mismatch');
    });

    it('the right state with another issuer: the error tells to check GITHUB_URL', async () => {
      double.issuer = 'https://git.example/login/oauth';
      expect(await expectUnavailable(signIn())).to.include(
        'names the issuer https://git.example/login/oauth',
      );
      expect(double.requests).to.deep.equal([]);
    });

    it('nothing listens: the log has the cause', async () => {
      const provider = connect();
      const { url, visit } = await provider.begin(callbackUrl);
      const returnedTo = await double.visit(url);
      await double.close();
      expect(await expectUnavailable(provider.finish(returnedTo, callbackUrl, visit))).to.match(
        /ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/,
      );
    });
  });

  it('is named GitHub, or by its host', () => {
    expect(connect({ url: 'https://github.com' }).name).to.equal('GitHub');
    expect(connect({ url: 'https://git.example:8443/code' }).name).to.equal('git.example:8443');
  });
});
