import { expect } from 'chai';
import { type MetricsServer, startMetricsServer } from '../../shared/metrics/prometheus-server.ts';
import { rejectionOf } from '../support/rejection.ts';
import { exchange, requestHead } from '../support/socket.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('The server for metrics', () => {
  let server: MetricsServer;
  let scrapes: number;
  const log = createRecordingLog();
  let scrape: () => Promise<string>;
  const base = () => `http://127.0.0.1:${server.port}`;

  beforeEach(async () => {
    scrapes = 0;
    scrape = async () => `number ${++scrapes}\n`;
    server = await startMetricsServer({
      host: '127.0.0.1',
      port: 0,
      contentType: 'text/plain',
      log,
      scrape: () => scrape(),
      names: ['Metrics.example.com'],
      mounts: { '/queues': (req, res) => res.end(`queues ${req.url}`) },
    });
  });
  afterEach(() => server.stop());

  it('answers GET /metrics, hands on what is mounted, and refuses everything else', async () => {
    const seen: Record<string, unknown> = {};
    const paths = [
      'GET /metrics',
      'POST /metrics',
      'GET /',
      'GET /metrics/',
      'GET /queues/a?b',
      'GET /queue',
    ];
    for (const call of paths) {
      const [method = '', path = ''] = call.split(' ');
      const response = await fetch(base() + path, { method });
      seen[call] = `${response.status} ${(await response.text()).trim()}`;
    }
    expect(seen).to.deep.equal({
      'GET /metrics': '200 number 1',
      'POST /metrics': '405 Only GET and HEAD are supported',
      'GET /': '404 Not found: the metrics are at /metrics',
      'GET /metrics/': '404 Not found: the metrics are at /metrics',
      'GET /queues/a?b': '200 queues /queues/a?b',
      'GET /queue': '404 Not found: the metrics are at /metrics',
    });
  });

  it('answers at IP addresses, at names that nobody can own and at its own names, whatever other name leads here', async () => {
    const own = [
      '127.0.0.1',
      '10.1.2.3:9464',
      '[::1]:9464',
      'localhost',
      'worker:9464',
      'metrics.example.com',
    ];
    const foreign = ['evil.example:9464', 'localhost.evil.example', '127.0.0.1.evil.example', 'a b'];
    for (const host of [...own, ...foreign])
      for (const path of ['/metrics', '/queues/a']) {
        const { status } = await exchange(base(), requestHead('GET', path, { host, connection: 'close' }));
        expect(status, `${host}${path}`).to.equal(own.includes(host) ? 200 : 421);
      }
    expect(scrapes).to.equal(own.length);
  });

  it('answers 500 and logs why if the numbers cannot be read, and the next scrape afterwards', async () => {
    scrape = () => Promise.reject(new Error('broken'));
    expect((await fetch(`${base()}/metrics`)).status).to.equal(500);
    expect(log.lines.at(-1)).to.include({ level: 'error', message: 'the metrics could not be read' });
    expect(String(log.lines.at(-1)?.fields.err)).to.equal('Error: broken');
    scrape = async () => 'back';
    expect(await (await fetch(`${base()}/metrics`)).text()).to.equal('back');
  });

  it('says which setting is wrong if it cannot listen', async () => {
    const start = (host: string, port: number) =>
      startMetricsServer({ host, port, scrape, contentType: '', names: [], mounts: {}, log });
    const taken = await rejectionOf(start('127.0.0.1', server.port));
    expect(taken.message).to.contain(`METRICS_PORT ${server.port} on 127.0.0.1 is in use`);
    expect((await rejectionOf(start('192.0.2.1', 0))).message).to.contain('METRICS_HOST is "192.0.2.1"');
  });
});
