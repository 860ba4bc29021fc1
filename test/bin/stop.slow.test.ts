import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { stopAll } from '../../bin/stopping.ts';
import { rejectionOf } from '../support/rejection.ts';
import { openConnection, requestHead } from '../support/socket.ts';
import { until } from '../support/until.ts';
import { dropleaf, logOf } from './command.ts';
import { useHome } from './home.ts';

describe('bin/dropleaf.js start', () => {
  const home = useHome();

  it('on SIGTERM accepts no new request, finishes the current one, and exits with 0', async () => {
    const service = await home.spawn();
    const { answer, finish } = await startUpload(service.url);
    service.kill('SIGTERM');
    const isRefused = () =>
      fetch(service.url, { headers: { Connection: 'close' } }).then(
        () => false,
        () => true,
      );
    while (!(await isRefused())) await sleep(20);
    finish();
    const [response] = await answer;
    expect(response.statusCode).to.equal(201);
    expect(JSON.parse(await text(response)).title).to.equal('Late');
    expect(await service.ended()).to.have.property('code', 0);
  });

  for (const [TRUST_PROXY, what] of [
    ['1', 'answers a request on an idle connection of a proxy, and then closes it'],
    ['', 'closes idle connections at once without a proxy'],
  ] as const)
    it(`on SIGTERM ${what}`, async () => {
      const service = await home.spawn({ TRUST_PROXY });
      const connection = await openConnection(service.url);
      await connection.send(requestHead('GET', '/healthz', {}));
      expect((await connection.answer()).status).to.equal(200);
      service.kill('SIGTERM');
      if (TRUST_PROXY === '') await rejectionOf(connection.answer());
      else {
        await service.firstMatch(/"(stopping)"/);
        await connection.send(requestHead('POST', '/api/auth/start', { 'content-length': '0' }));
        const { status, headers } = await connection.answer();
        expect([status, headers.connection]).to.deep.equal([200, 'close']);
        await rejectionOf(connection.answer());
      }
      expect(await service.ended()).to.have.property('code', 0);
    });

  it('cancels a request that takes longer than SHUTDOWN_SECONDS, and exits with 0', async () => {
    const service = await home.spawn({ SHUTDOWN_SECONDS: '2' });
    const { answer } = await startUpload(service.url);
    service.kill('SIGTERM');
    const { code, stderr } = await service.ended();
    expect(code).to.equal(0);
    expect(stderr).to.match(/"path":"\/api\/drops","bytes":\d+,.*"aborted":true/); // no status: no answer began
    expect(await answer.catch(() => 'cancelled')).to.equal('cancelled');
  });

  it('exits at once with 1 on a second signal', async () => {
    const service = await home.spawn();
    const { answer } = await startUpload(service.url);
    service.kill('SIGTERM');
    await service.firstMatch(/"(stopping)"/);
    await sleep(700); // signals within 500 ms count as one
    service.kill('SIGTERM');
    expect(await service.ended()).to.have.property('code', 1);
    expect(await answer.catch(() => 'cancelled')).to.equal('cancelled');
  });

  it('after an unhandled error logs the error without user data, and exits with 1', async () => {
    const code = `process.once('SIGUSR2', () => {
      const error = new TypeError('planted', { cause: new Error('the cause') });
      Promise.reject(Object.assign(error, { code: 'E_PLANTED', html: 'user data' }));
    })`;
    const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(code)}"`;
    const service = await home.spawn({ NODE_OPTIONS });
    service.kill('SIGUSR2');
    const outcome = await service.ended();
    expect(outcome.code).to.equal(1);
    expect(outcome.stderr).not.to.contain('user data');
    const lines = logOf(outcome);
    const failure = lines.find(({ level }) => level === 'error');
    expect(failure).to.include({ origin: 'unhandledRejection' });
    expect(failure?.err).to.include({ type: 'TypeError', message: 'planted', code: 'E_PLANTED' });
    expect(failure)
      .to.have.nested.property('err.stack')
      .that.matches(/\n +at /);
    expect(failure?.err).to.deep.nested.include({ 'cause.type': 'Error', 'cause.message': 'the cause' });
    expect(lines.at(-1)).to.include({ msg: 'stopped' });
  });

  /** Sends half of a POST of a drop. */
  async function startUpload(url: string) {
    const { stdout } = await dropleaf(['token', '--user', 'me'], home.env);
    const body = JSON.stringify({ title: 'Late', html: '<h1>Late</h1>' });
    const upload = request(`${url}/api/drops`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${stdout.trim()}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        Expect: '100-continue',
      },
    });
    const answer = once(upload, 'response') as Promise<[IncomingMessage]>; // proof: the arguments of this event
    answer.catch(() => undefined); // a test may look at it later
    upload.flushHeaders();
    await once(upload, 'continue'); // the service has the request now
    upload.write(body.slice(0, 10));
    return { answer, finish: () => upload.end(body.slice(10)) };
  }
});

describe('stopAll', () => {
  const exits: number[] = [];
  const io = { exit: (code: number) => void exits.push(code) };
  const ignore = () => undefined;
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

  it('stops the last part first, and gives each half of the remaining time', async () => {
    const stopped: [string, number][] = [];
    const part = (name: string) => ({
      stop: async (graceMs: number) => void stopped.push([name, Math.round(graceMs / 1000)]),
    });
    expect(await stopAll(io, [part('services'), part('worker'), part('web')], 20, silent)).to.equal(true);
    expect(stopped).to.deep.equal([
      ['web', 10],
      ['worker', 10],
      ['services', 10],
    ]);
  });

  it('stops the other parts if one fails to stop, and returns false', async () => {
    let stopped = false;
    const first = {
      async stop() {
        stopped = true;
      },
    };
    const second = { stop: () => Promise.reject(new Error('stuck')) };
    expect(await stopAll(io, [first, second], 20, silent)).to.equal(false);
    expect(stopped).to.equal(true);
  });

  it('exits with 1 when the time is over', async () => {
    void stopAll(io, [{ stop: () => new Promise<void>(() => undefined) }], 0.05, silent);
    await until(() => exits.length > 0, 'it exits');
    expect(exits).to.deep.equal([1]);
  });
});
