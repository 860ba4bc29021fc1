import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('MCP messages of several accounts', () => {
  const gate = createGate();
  after(() => gate.open());
  const service = useService({}, (engine) => ({
    ...engine,
    tokens: gate.wrap(engine.tokens, ['findByHash']),
  }));

  const ping = (owner: Owner) =>
    owner.request('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream' },
    });

  it('take fair turns: one waits for one of each other account; of more than 256 the last of the account with the most get 503', async () => {
    const flooding = await service.newOwner();
    const other = await service.newOwner();
    expect((await ping(other)).status).to.equal(200); // loads the library
    gate.hold();
    const statuses: number[] = [];
    const flood = Array.from({ length: 300 }, async () => {
      const answer = await ping(flooding);
      statuses.push(answer.status);
      return answer;
    });
    await until(() => gate.waiting() === 300, 'all of one account have arrived');
    const ofOther = ping(other);
    await until(() => gate.waiting() === 301, 'the other account waits behind them');
    gate.open();
    expect((await ofOther).status).to.equal(200);
    expect(statuses.filter((status) => status === 200)).to.have.length.below(100);
    const refused = (await Promise.all(flood)).filter(({ status }) => status !== 200);
    expect(refused).to.have.length.within(1, 44);
    for (const answer of refused) expectError(answer, 503, 'unavailable');
  });
});
