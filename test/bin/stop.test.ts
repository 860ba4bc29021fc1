import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { stopAll } from '../../bin/stopping.ts';
import { dropleaf } from './command.ts';
import { type Home, useHome } from './home.ts';

describe('Stopping dropleaf start', () => {
  const home = useHome();

  it('on SIGTERM it accepts no new request, finishes the current one, and exits with 0', async () => {
    const service = await home.spawn();
    const upload = await beginUpload(service.url, home.env);
    service.kill('SIGTERM');
    await refused(service.url);
    const { status, body } = await upload.finish();
    expect({ status, title: JSON.parse(body).title }).to.deep.equal({ status: 201, title: 'Late' });
    expect(await service.ended()).to.have.property('code', 0);
  });

  it('it cancels a request that takes longer than SHUTDOWN_SECONDS, and exits with 0', async () => {
    const service = await home.spawn({ SHUTDOWN_SECONDS: '2' });
    const upload = await beginUpload(service.url, home.env);
    const stoppedAt = performance.now();
    service.kill('SIGTERM');
    expect(await service.ended()).to.have.property('code', 0);
    expect(performance.now() - stoppedAt).to.be.below(5_000);
    expect(await upload.broken).to.equal(true);
  });

  it('it exits at once with 1 on a second signal', async () => {
    const service = await home.spawn();
    const upload = await beginUpload(service.url, home.env);
    service.kill('SIGTERM');
    await sleep(700); // signals within 500 ms count as one
    service.kill('SIGTERM');
    expect(await service.ended()).to.have.property('code', 1);
    expect(await upload.broken).to.equal(true);
  });

  it('two signals at once, as from the terminal and from npm, count as one; it exits with 0', async () => {
    const service = await home.spawn();
    service.kill('SIGINT');
    service.kill('SIGTERM');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(0);
    expect(linesOf(stderr).filter(({ msg }) => msg === 'stopping')).to.have.length(1);
  });

  it('it exits with 1 after SHUTDOWN_SECONDS if a part does not stop', async () => {
    const plant = "import { Server } from 'node:http'; Server.prototype.close = () => {}";
    const service = await home.spawn({ SHUTDOWN_SECONDS: '1', NODE_OPTIONS: importing(plant) });
    const stoppedAt = performance.now();
    service.kill('SIGTERM');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(1);
    expect(performance.now() - stoppedAt).to.be.within(900, 2_000);
    expect(linesOf(stderr).at(-1)).to.include({
      level: 'error',
      msg: 'stopping took longer than SHUTDOWN_SECONDS',
    });
  });

  it('after an unhandled error it logs the error without user data, and exits with 1', async () => {
    const plant = `process.once('SIGUSR2', () => {
      const error = new TypeError('planted', { cause: new Error('below it') });
      Promise.reject(Object.assign(error, { code: 'E_PLANTED', html: 'user data' }));
    })`;
    const service = await home.spawn({ NODE_OPTIONS: importing(plant) });
    service.kill('SIGUSR2');
    const { stderr, code } = await service.ended();
    expect(code).to.equal(1);
    const lines = linesOf(stderr);
    const failure = lines.find(({ level }) => level === 'error');
    expect(failure).to.deep.include({ origin: 'unhandledRejection' });
    expect(failure.err).to.include({ type: 'TypeError', message: 'planted', code: 'E_PLANTED' });
    expect(failure.err.stack).to.match(/\n +at /);
    expect(failure.err.cause).to.include({ type: 'Error', message: 'below it' });
    expect(stderr).not.to.contain('user data');
    expect(lines.at(-1)).to.include({ msg: 'stopped' });
  });
});

describe('stopAll', () => {
  const host = { exit: () => undefined };
  const ignore = () => undefined;
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

  it('stops the last part first, and gives each half of the remaining time', async () => {
    const stopped: [string, number][] = [];
    const part = (name: string) => ({
      stop: async (graceMs: number) => void stopped.push([name, Math.round(graceMs / 1000)]),
    });
    expect(await stopAll(host, [part('services'), part('worker'), part('web')], 20, silent)).to.equal(true);
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
    expect(await stopAll(host, [first, second], 20, silent)).to.equal(false);
    expect(stopped).to.equal(true);
  });
});

/** NODE_OPTIONS that run this code in the service first. */
function importing(code: string): string {
  return `--import "data:text/javascript,${encodeURIComponent(code)}"`;
}

function linesOf(stderr: string) {
  const lines = stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Sends half of a POST of a drop. `broken`: whether the connection ended without an answer. */
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
