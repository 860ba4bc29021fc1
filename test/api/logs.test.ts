import { expect } from 'chai';
import { useService } from '../support/service.ts';

const needles = {
  html: 'NEEDLE-HTML',
  context: 'NEEDLE-CONTEXT',
  passcode: 'NEEDLE-PASSCODE',
  wrong: 'NEEDLE-WRONG',
};

describe('Logs', () => {
  const service = useService();

  it('contain no secret: no token, passcode, code, poll token, cookie, grant, html or context', async () => {
    const owner = await service.newOwner();
    const { html, context, passcode } = needles;
    const { slug } = await owner.create({ html, context, passcode });
    await owner.put(slug, { html, context });
    await owner.put(slug, { html, context, title: 7 });
    await owner.request('POST', '/api/drops', { raw: `{"html":"${html}", "context":"${context}` });
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: `${passcode}\u0000` } });
    await service.get('/api/me', { token: owner.token.slice(0, -1) });
    const started = (await service.request('POST', '/api/auth/start', { body: { label: 'l' } })).body;
    await service.get(`/api/auth/poll?token=${started.poll_token}`);
    const verification = new URL(started.verification_url);
    await service.get(verification.pathname + verification.search);
    await service.unlock(slug, needles.wrong);
    const { cookie, frame } = await service.enter(slug, passcode);
    expect((await service.get(frame)).status).to.equal(200);
    await service.settle();

    const [grant] = [...new URL(frame, service.url).searchParams.values()].sort(
      (a, b) => b.length - a.length,
    );
    const secrets = {
      ...needles,
      token: owner.token,
      cutToken: owner.token.slice(0, -1),
      pollToken: started.poll_token,
      code: started.code,
      bareCode: started.code.replaceAll('-', ''),
      cookie: cookie.split('=')[1] ?? '',
      grant: grant ?? '',
    };
    const logged = service.logs.join('\n');
    expect(service.logs.length).to.be.above(10);
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).to.have.length.above(5);
      expect(logged.includes(secret), `${name} is in the logs`).to.equal(false);
    }
  });

  it('have one line for each request, with the id from X-Request-Id', async () => {
    const owner = await service.newOwner();
    for (const path of ['/api/me', '/nothing', '/api/drops?page=0']) {
      const from = service.logs.length;
      const answer = await owner.get(path);
      const id = answer.headers['x-request-id'] ?? '';
      expect(id).to.not.equal('');
      await service.eventually(async () => {
        expect(service.logs.slice(from).filter((line) => line.includes(id))).to.have.length(1);
      });
    }
  });
});
