import { setTimeout as pause } from 'node:timers/promises';
import { fireWhile, repeat, senderOf, untilResolved } from '../support/alerts.ts';
import { hostileContexts } from '../support/hostile-contexts.ts';
import { useServer } from '../support/listen.ts';
import { findFreePort } from '../support/nginx.ts';
import { noLimits } from '../support/no-limits.ts';
import { requireProgram } from '../support/programs.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { launch, type RunningService, startDropleaf, type Watched, watch } from './command.ts';
import { publish } from './home.ts';

// Each alert by a real cause; those of several processes are in test/scale-out/alerts.scale-out.test.ts.
describe('The alerts of deploy/prometheus, on one machine', () => {
  let prometheus: Prometheus;
  let disk: SmallDisk;
  /** On that disk. */
  let small: RunningService;
  let service: RunningService;
  let isPurged = true;
  const DATA_DIR = makeTempDir();
  const edge = useServer((_, response) => response.writeHead(isPurged ? 200 : 500).end());

  before(async function () {
    const program = requireProgram(this, 'prometheus');
    disk = await openSmallDisk(this, 6);
    const settings = (port: number) => ({
      ...noLimits,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: `${port}`,
    });
    const portOfSmall = await findFreePort();
    const port = await findFreePort();
    const running = watch(disk.spawn(['start'], { ...settings(portOfSmall), DATA_DIR: `${disk.dir}/data` }));
    small = { ...running, url: await running.firstMatch(/runs at (http\S+)/) };
    const purges = { EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url };
    service = await startDropleaf({ ...settings(port), ...purges, DATA_DIR, CHANGES_PER_MINUTE: '1' });
    prometheus = await startPrometheus(program, {
      'dropleaf-web': [portOfSmall, port],
      'dropleaf-worker': [],
    });
  });

  after(async () => {
    await prometheus?.close();
    for (const one of [small, service]) one?.kill('SIGKILL');
    await disk?.close();
  });

  async function fillDisk(): Promise<void> {
    const token = await tokenOf(watch(disk.spawn(makeToken, { DATA_DIR: `${disk.dir}/data` })));
    disk.fill();
    const stop = repeat(200, () => publish(small.url, token, `<p>${'x'.repeat(500_000)}`));
    const names = ['DropleafNotReady', 'DropleafWritesFail', 'DropleafStoreFails', 'DropleafDiskFillsUp'];
    try {
      await fireWhile(prometheus, names, () => disk.grow(2_000));
      await untilResolved(prometheus, names);
    } finally {
      await stop();
    }
  }

  /** Contexts that take too long, an edge that refuses purges, and a client in a loop. */
  async function misuse(): Promise<void> {
    const token = await tokenOf(launch(makeToken, { DATA_DIR }));
    const send = senderOf(token);
    const { slug } = await publish(service.url, token, '<p>A page');
    const address = `${service.url}/api/drops/${slug}`;
    const context = hostileContexts.find(([what]) => what === 'one long table')?.[1];
    isPurged = false;
    const stopWriter = repeat(500, () => send('PUT', address, { html: '<p>Again', context }));
    const stopLoop = repeat(200, () => send('PATCH', address, { title: 'Again' }));
    const repairEdge = () => {
      isPurged = true;
    };
    await fireWhile(prometheus, ['DropleafPurgesUnconfirmed'], repairEdge);
    await fireWhile(prometheus, ['DropleafRendersFail'], stopWriter);
    await fireWhile(prometheus, ['DropleafLimitsUnusual'], stopLoop);
  }

  /** As in a container whose CPU quota is used up. */
  async function takeCpu(): Promise<void> {
    const giveBack = repeat(300, async () => {
      service.kill('SIGSTOP');
      await pause(300);
      service.kill('SIGCONT');
    });
    await fireWhile(prometheus, ['DropleafEventLoopBlocked'], giveBack);
  }

  it('fire while a disk is full, and for a process that is misused and then gets too little CPU', () =>
    Promise.all([fillDisk(), misuse().then(takeCpu)]));

  it('are all resolved in the end', () => untilResolved(prometheus));
});

const makeToken = ['token', '--user', 'me'];

async function tokenOf(command: Watched): Promise<string> {
  return (await command.ended()).stdout.trim();
}
