import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type MetricsServer, startMetricsServer } from '../../shared/metrics/prometheus-server.ts';
import { openBullmqJobFixture } from '../contract/bullmq-job-fixture.ts';
import { useJobFixture } from '../contract/job-fixture.ts';
import { countJobs } from '../support/jobs.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('The pages of the job queue', () => {
  const { fixture, startProcess } = useJobFixture(openBullmqJobFixture);
  let server: MetricsServer;
  afterEach(() => server.stop());

  async function serve(isWritable: boolean): Promise<void> {
    const { queue } = await fixture().openProcess();
    const board = await queue.board({ path: '/queues', isWritable });
    server = await startMetricsServer({
      host: '127.0.0.1',
      port: 0,
      contentType: 'text/plain',
      scrape: async () => '',
      names: [],
      mounts: { '/queues': board },
      log: createRecordingLog(),
    });
  }

  /** @param call method and path below /queues */
  function send(call: string, headers: Record<string, string> = {}) {
    const [method, path] = call.split(' ');
    const { port } = server;
    return new Promise<{ status: number; headers: object; body: string }>((resolve, reject) => {
      const sent = request({ method, port, path: `/queues${path}`, headers }, (res) => {
        const { statusCode: status = 0, headers } = res;
        text(res).then((body) => resolve({ status, headers, body }), reject);
      });
      sent.on('error', reject).end();
    });
  }

  async function leaveFailedJob(): Promise<void> {
    const { queue, settle } = await startProcess();
    await fixture().plant('version.render', { dropId: 'd' }); // without `versionId`
    await settle();
    await queue.stop(1_000);
  }

  const ownPage = { Host: 'localhost:9100', 'Sec-Fetch-Site': 'same-origin' };
  const retryAll = 'PUT /api/queues/asked/retry/failed';

  it('show failed jobs with payload and error, load nothing from other servers, and change nothing', async () => {
    await serve(false);
    await leaveFailedJob();
    const page = await send('GET ');
    expect(page.status).to.equal(200);
    expect(page.headers).to.have.property('content-security-policy').that.contains("default-src 'none'");
    const [, script = ''] = /src="(static\/js\/main[^"]*)"/.exec(page.body) ?? [];
    expect((await send(`GET /${script}`)).status).to.equal(200);

    const { status, body } = await send('GET /api/queues?activeQueue=asked&status=failed&page=1');
    expect(status).to.equal(200);
    const [queue] = JSON.parse(body).queues;
    expect(queue).to.include({ name: 'asked', readOnlyMode: true });
    expect(queue.jobs[0]).to.deep.include({ name: 'version.render', data: { dropId: 'd' } });
    expect(queue.jobs[0].failedReason).to.contain('versionId');

    const refused = await send(retryAll, ownPage);
    expect(`${refused.status} ${refused.body}`).to.equal(
      '405 Read-only: set QUEUES_WRITABLE to change jobs\n',
    );
  });

  it('change jobs if the setting allows it, for requests of their own pages alone', async () => {
    await serve(true);
    await leaveFailedJob();
    const foreign: Record<string, string>[] = [
      {},
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://localhost:9100' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ];
    for (const headers of foreign)
      expect((await send(retryAll, { Host: 'localhost:9100', ...headers })).status).to.equal(403);
    expect(await countJobs(fixture().report)).to.include({ waiting: 0, failed: 1 });
    expect((await send(retryAll, ownPage)).status).to.be.below(300);
    expect(await countJobs(fixture().report)).to.include({ waiting: 1, failed: 0 });
    const byAddress = { Host: '10.0.0.5:9100', Origin: 'http://10.0.0.5:9100' };
    expect((await send(retryAll, byAddress)).status).to.be.below(300);
  });
});
