import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { connectMcp } from '../support/mcp.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('Lists and searches of one account', () => {
  const gate = createGate();
  after(() => gate.open());
  const service = useService({}, (own) => ({ ...own, drops: gate.wrap(own.drops, ['list']) }));

  it('run two at once, by API, MCP and dashboard together; 50 wait, and more get 503 with Retry-After', async () => {
    const browser = await openDashboard(service);
    const { owner } = browser;
    const mcp = await connectMcp(service, owner, '2026-07-28');
    const { title } = await owner.create({ title: 'Mine' });
    const other = await service.newOwner();
    gate.hold();
    const inDashboard = browser.get('/drops?q=mine');
    const byMcp = mcp.call<{ data: { title: string }[] }>('list_drops', { q: 'mine' });
    await until(() => gate.waiting() === 2, 'two lists run');
    const waiting = Array.from({ length: 50 }, () => owner.get('/api/drops?q=mine'));
    const refused = owner.get('/api/drops');
    const first = await Promise.race([refused, ...waiting]);
    expect(expectError(first, 503, 'unavailable')).to.deep.equal({ retry_after_seconds: 1 });
    expect(first.headers['retry-after']).to.equal('1');
    expectErrorPage(await browser.get('/drops'), 503, 'unavailable');
    expect((await mcp.call('list_drops')).error?.code).to.equal('unavailable');
    const others = other.get('/api/drops');
    await until(() => gate.waiting() === 3, 'the list of another account runs too');
    gate.open();
    expect((await others).status).to.equal(200);
    expect((await inDashboard).text).to.contain(title);
    expect((await byMcp).structured.data).to.have.length(1);
    const answers = await Promise.all([refused, ...waiting]);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(50);
    expect((await owner.get('/api/drops')).status).to.equal(200);
    await mcp.sdk.close();
  });
});
