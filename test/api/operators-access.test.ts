import { expect } from 'chai';
import {
  type Dashboard,
  dashboardPathsOf,
  openDashboard,
  openOperator,
  openOperators,
} from '../support/dashboard.ts';
import { createPerson } from '../support/person.ts';
import { type TestService, useService } from '../support/service.ts';

const hour = 3_600_000;

/** Every page and form for operators. */
function operatorPathsOf(service: TestService, method: 'GET' | 'POST'): string[] {
  const paths = dashboardPathsOf(service, method, 'slug00');
  return paths.filter((path) => path.startsWith('/operators'));
}

async function expectNoSuchPage(person: Dashboard, paths: { GET: string[]; POST: string[] }): Promise<void> {
  const other = await person.get('/nosuchpath');
  for (const path of paths.GET) {
    const answer = await person.get(path);
    expect([answer.status, answer.text.replaceAll(path, '')], path).to.deep.equal([404, other.text]);
  }
  for (const path of paths.POST) {
    expect((await person.post(path, { reason: 'x' })).status, path).to.equal(404);
    expect((await person.post(path, { form_token: 'x' })).status, path).to.equal(404);
  }
}

describe('The pages for operators: who may open them', () => {
  const service = useService();

  it('without OPERATORS they do not exist, with a session or without', async () => {
    const person = await openDashboard(service);
    expect(operatorPathsOf(service, 'GET')).to.deep.equal([]);
    for (const path of ['/operators', '/operators/log']) {
      expect((await person.get(path)).status).to.equal(404);
      expect((await createPerson(service).get(path)).status).to.equal(404);
    }
  });

  it('exist for listed accounts only; everybody else gets 404 as for any other path, and no link', async () => {
    const [operator, second] = await openOperators(service);
    const other = await openDashboard(service);
    const paths = { GET: operatorPathsOf(service, 'GET'), POST: operatorPathsOf(service, 'POST') };
    expect(paths.GET).to.have.length.above(10);
    expect(paths.POST).to.have.length.above(8);
    await expectNoSuchPage(other, paths);
    expect((await other.open('/drops')).page.find('a', { href: '/operators' })).to.equal(undefined);
    for (const each of [operator, second]) {
      expect((await each.open('/operators')).status).to.equal(200);
      expect((await each.open('/drops')).page.find('a', { href: '/operators' })).to.not.equal(undefined);
    }
    const { token } = operator.owner;
    expect((await service.get('/operators', { token })).status, 'a token is no session').to.equal(303);
  });

  it('a suspended operator is none, and an operator whose account is deleted', async () => {
    const [first, second] = await openOperators(service);
    const { moderation } = service.services;
    await moderation.suspend(await service.accountOf(first.owner), { by: 'root', reason: null });
    const paths = { GET: operatorPathsOf(service, 'GET'), POST: operatorPathsOf(service, 'POST') };
    await expectNoSuchPage(first, paths);
    await service.request('DELETE', `/api/me?confirm=${second.owner.userId}`, { token: second.owner.token });
    const gone = await second.get('/operators');
    expect([gone.status, gone.headers.location]).to.deep.equal([303, '/sign-in/browser?next=%2Foperators']);
  });

  it('12 hours after the sign-in they ask for another one, which leads back; the rest of the dashboard does not', async () => {
    const operator = await openOperator(service);
    service.clock.advance(12 * hour - 1);
    expect((await operator.get('/operators')).status).to.equal(200);
    service.clock.advance(1);
    expect((await operator.get('/drops')).status).to.equal(200);
    for (const answer of [await operator.get('/operators/log'), await operator.post('/operators/log', {})]) {
      expect(answer.status).to.be.oneOf([303, 405]);
    }
    const act = `/operators/accounts/${operator.owner.userId}/revoke-tokens`;
    const refused = await operator.post(act, { reason: 'x', seen: '' });
    expect(refused.status, 'the reason waits for the sign-in').to.equal(401);
    expect((await operator.get(act)).headers.location).to.equal(
      `/sign-in/browser?${new URLSearchParams({ next: act })}`,
    );
    expect((await operator.owner.get('/api/me')).status, 'nothing was done').to.equal(200);

    const signIn = await operator.open(`/sign-in/browser?${new URLSearchParams({ next: act })}`);
    const key = service.services.signInKey ?? '';
    const back = await operator.submit(
      signIn,
      { name: operator.owner.name, key },
      { action: '/sign-in/browser' },
    );
    expect([back.path, back.status]).to.deep.equal([act, 200]);
  });
});
