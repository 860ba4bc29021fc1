import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { type Heartbeats, watchHeartbeats } from '../../shared/adapters/mongo/watch-heartbeats.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const server = 'db.example:27017';

/** The driver's client as far as it is used, and what was asked of it. */
function createFakeClient(connect: () => Promise<void> = async () => undefined) {
  const calls: string[] = [];
  const events = new EventEmitter();
  const client = Object.assign(events, {
    options: { connectTimeoutMS: 2_000, heartbeatFrequencyMS: 500 },
    async close() {
      calls.push('close');
      events.emit('serverClosed', { address: server });
    },
    async connect() {
      calls.push('connect');
      await connect();
    },
  });
  // proof: it has all that Heartbeats names; of the events' types only the fields that are read are there
  return { calls, events, client: client as unknown as Heartbeats };
}

describe('The watch of the looks at MongoDB', () => {
  const log = createRecordingLog();
  /** Two time-outs of a connection, a pause between looks, and one to spare. */
  const patience = 6;

  async function checks(watch: { check(): Promise<void> }, times: number): Promise<void> {
    for (let n = 0; n < times; n++) await watch.check();
  }

  it('connects anew when a look has not ended in the time that the driver allows it', async () => {
    const { calls, events, client } = createFakeClient();
    const watch = watchHeartbeats(client, log);
    events.emit('serverHeartbeatStarted', { connectionId: server });
    await checks(watch, patience);
    expect(calls).to.deep.equal([]);
    await watch.check();
    expect(calls).to.deep.equal(['close', 'connect']);
    await checks(watch, 2 * patience);
    expect(calls, 'once').to.deep.equal(['close', 'connect']);
    expect(log.lines.at(-1)).to.deep.include({ level: 'warn', fields: { server } });
  });

  for (const outcome of ['serverHeartbeatSucceeded', 'serverHeartbeatFailed']) {
    it(`does nothing while looks end (${outcome})`, async () => {
      const { calls, events, client } = createFakeClient();
      const watch = watchHeartbeats(client, log);
      for (let n = 0; n < 3; n++) {
        events.emit('serverHeartbeatStarted', { connectionId: server });
        await checks(watch, patience);
        events.emit(outcome, { connectionId: server });
      }
      await checks(watch, 2 * patience);
      expect(calls).to.deep.equal([]);
    });
  }

  it('forgets a server that has left', async () => {
    const { calls, events, client } = createFakeClient();
    const watch = watchHeartbeats(client, log);
    events.emit('serverHeartbeatStarted', { connectionId: server });
    events.emit('serverClosed', { address: server });
    await checks(watch, 2 * patience);
    expect(calls).to.deep.equal([]);
  });

  it('tries again at each check until it is connected', async () => {
    let failures = 2;
    const { calls, events, client } = createFakeClient(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
    });
    const watch = watchHeartbeats(client, log);
    events.emit('serverHeartbeatStarted', { connectionId: server });
    await checks(watch, patience + 10);
    expect(calls.filter((call) => call === 'connect')).to.have.length(3);
  });

  it('a connection that was closed while it connected is not open afterwards', async () => {
    const { calls, events, client } = createFakeClient(async () => watch.stop());
    const watch = watchHeartbeats(client, log);
    events.emit('serverHeartbeatStarted', { connectionId: server });
    await checks(watch, patience + 1);
    expect(calls).to.deep.equal(['close', 'connect', 'close']);
  });

  it('does nothing more once it is stopped', async () => {
    const { calls, events, client } = createFakeClient();
    const watch = watchHeartbeats(client, log);
    events.emit('serverHeartbeatStarted', { connectionId: server });
    watch.stop();
    await checks(watch, 2 * patience);
    expect(calls).to.deep.equal([]);
    expect(events.eventNames()).to.deep.equal([]);
  });
});
