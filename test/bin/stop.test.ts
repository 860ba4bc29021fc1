import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { stopAll } from '../../bin/stopping.ts';
import { dropleaf } from './command.ts';
import { type Home, useHome } from './home.ts';

describe('stopping dropleaf start', () => {
  const home = useHome('SIGKILL');

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`exits 0 on ${signal}`, async () => {
      const service = await home.start();
      service.kill(signal);
      expect(await service.ended()).to.have.property('code', 0);
    });
  }

  it('finishes the request that runs, and accepts no other, before it exits 0', async () => {
    const service = await home.start();
    const upload = await beginUpload(service.url, home.env);
    service.kill('SIGTERM');
    await refused(service.url);
    const { status, body } = await upload.finish();
    expect({ status, title: JSON.parse(body).title }).to.deep.equal({ status: 201, title: 'Late' });
    expect(await service.ended()).to.have.property('code', 0);
  });

  it('cuts a request that never ends, and exits 0 within SHUTDOWN_SECONDS', async () => {
    const service = await home.start({ SHUTDOWN_SECONDS: '2' });
    const upload = await beginUpload(service.url, home.env);
    const stoppedAt = performance.now();
    service.kill('SIGTERM');
    expect(await service.ended()).to.have.property('code', 0);
    expect(performance.now() - stoppedAt).to.be.below(5_000); // 0 says that the stop was in time; the rest is the exit
    expect(await upload.broken).to.equal(true);
  });

  it('exits at once with 1 on a second signal', async () => {
    const service = await home.start();
    const upload = await beginUpload(service.url, home.env);
    service.kill('SIGTERM');
    await sleep(700); // longer than what counts as one request; the child's clock is the system's
    service.kill('SIGTERM');
    expect(await service.ended()).to.have.property('code', 1);
    expect(await upload.broken).to.equal(true);
  });

  it('takes signals that come together, as from a terminal and from npm, for one', async () => {
    const service = await home.start();
    service.kill('SIGINT');
    service.kill('SIGTERM');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(0);
    expect(linesOf(stderr).filter(({ msg }) => msg === 'stopping')).to.have.length(1);
  });

  it('ends with 1 after SHUTDOWN_SECONDS when a part does not stop', async () => {
    const plant = "import { Server } from 'node:http'; Server.prototype.close = () => {}";
    const service = await home.start({ SHUTDOWN_SECONDS: '1', NODE_OPTIONS: importing(plant) });
    const stoppedAt = performance.now();
    service.kill('SIGTERM');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(1);
    expect(performance.now() - stoppedAt).to.be.within(900, 2_000);
    expect(linesOf(stderr).at(-1)).to.include({ level: 'error', msg: 'the stop took too long' });
  });

  it('logs an error that nothing handled whole, but no fields with what somebody sent, and exits 1', async () => {
    const plant = `process.once('SIGUSR2', () => {
      const error = new TypeError('planted', { cause: new Error('below it') });
      Promise.reject(Object.assign(error, { code: 'E_PLANTED', html: 'what somebody sent' }));
    })`;
    const service = await home.start({ NODE_OPTIONS: importing(plant) });
    service.kill('SIGUSR2');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(1);
    const lines = linesOf(stderr);
    const failure = lines.find(({ level }) => level === 'error');
    expect(failure).to.deep.include({ origin: 'unhandledRejection' });
    expect(failure.err).to.include({ type: 'TypeError', message: 'planted', code: 'E_PLANTED' });
    expect(failure.err.stack).to.match(/\n +at /);
    expect(failure.err.cause).to.include({ type: 'Error', message: 'below it' });
    expect(stderr).not.to.contain('what somebody sent');
    expect(lines.at(-1)).to.include({ msg: 'stopped' });
  });
});

describe('stopAll', () => {
  const ignore = () => undefined;
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

  it('stops the last part first, and leaves each half of the time that is left', async () => {
    const stopped: [string, number][] = [];
    const part = (name: string) => ({
      stop: async (graceMs: number) => void stopped.push([name, Math.round(graceMs / 1000)]),
    });
    expect(await stopAll([part('services'), part('worker'), part('web')], 20, silent)).to.equal(true);
    expect(stopped).to.deep.equal([
      ['web', 10],
      ['worker', 10],
      ['services', 10],
    ]);
  });

  it('stops the others when one cannot be stopped, and says so', async () => {
    let stopped = false;
    const first = {
      async stop() {
        stopped = true;
      },
    };
    const second = { stop: () => Promise.reject(new Error('stuck')) };
    expect(await stopAll([first, second], 20, silent)).to.equal(false);
    expect(stopped).to.equal(true);
  });
});

/** NODE_OPTIONS that run this code in the service before its own. */
function importing(code: string): string {
  return `--import "data:text/javascript,${encodeURIComponent(code)}"`;
}

function linesOf(stderr: string) {
  const lines = stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** A POST of a drop of which half is sent. `broken`: its connection was cut. */
async function beginUpload(url: string, env: Home['env']) {
  const token = (await dropleaf(['token', '--user', 'me'], env)).stdout.trim();
  const body = JSON.stringify({ title: 'Late', html: '<h1>Late</h1>' });
  const upload = request(`${url}/api/drops`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  const answer = answerOf(upload);
  upload.flushHeaders();
  await new Promise((resolve) => upload.once('continue', resolve)); // the service has the request now
  upload.write(body.slice(0, 10));
  return {
    broken: answer.then(
      () => false,
      () => true,
    ),
    finish() {
      upload.end(body.slice(10));
      return answer;
    },
  };
}

function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response: IncomingMessage) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
  });
}

/** Waits until a new connection is refused. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).catch(() => null);
    if (response === null) return;
    await sleep(20);
  }
}
