import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { type RunningService, watch } from './command.ts';
import { publish } from './home.ts';

for (const isRunning of [true, false])
  describe(`An operator, on a full disk, while the service ${isRunning ? 'runs and is asked to write' : 'is stopped'}`, () => {
    let disk: SmallDisk;
    let service: RunningService;
    let token: string;
    let page: { readonly slug: string; readonly raw_url: string };
    const env = () => ({ DATA_DIR: `${disk.dir}/data`, PORT: '0', WRITES_PER_MINUTE: '1000' });
    const run = (...args: string[]) => watch(disk.spawn(args, env())).ended();
    const hasReserve = () => existsSync(disk.pathOf('data/disk-reserve'));

    async function start(): Promise<RunningService> {
      const running = watch(disk.spawn(['start'], env()));
      return { ...running, url: await running.firstMatch(/runs at (http\S+)/) };
    }

    /** A write of others; the reserve has room for one that is not large. */
    async function post(characters: number): Promise<number> {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/html' };
      const body = `<p>${'x'.repeat(characters)}`;
      return (await fetch(`${service.url}/api/drops?title=x`, { method: 'POST', headers, body })).status;
    }

    before(async function () {
      disk = await openSmallDisk(this, 8);
      service = await start();
      token = (await run('token', '--user', 'me')).stdout.trim();
      page = await publish(service.url, token, '<h1>Before</h1>');
      expect(hasReserve()).to.equal(true);
      for (const characters of [1_500_000, 100_000, 1_000]) {
        disk.fill();
        await until(async () => (await post(characters)) === 503, 'a write is refused');
      }
      disk.fill();
      if (isRunning) return;
      service.kill('SIGTERM');
      await service.ended();
      disk.fill();
    });
    after(async () => {
      service?.kill('SIGKILL');
      await disk?.close();
    });

    for (const [what, args, done] of [
      ['takes a page down', () => ['takedown', page.slug, '--reason', 'fraud'], /offline/],
      ['suspends an account', () => ['suspend', 'me', '--reason', 'fraud'], /read-only/],
      ['revokes its tokens', () => ['revoke-tokens', 'me'], /1 token/],
      ['ends the suspension', () => ['unsuspend', 'me'], /./],
      ['brings the page back', () => ['restore', page.slug], /online/],
      ['takes it down again', () => ['takedown', page.slug, '--reason', 'fraud again'], /offline/],
    ] as const)
      it(what, async () => {
        const writes = isRunning ? Array.from({ length: 20 }, () => post(60_000)) : [];
        const { stdout, stderr, code } = await run('admin', ...args());
        expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
        expect(stdout).to.match(done);
        expect(hasReserve()).to.equal(false);
        expect((await Promise.all(writes)).filter((status) => status === 201)).to.deep.equal([]);
      });

    it('has all of it in the log, and once there is space, the service serves it so and has a reserve again', async () => {
      const { stdout } = await run('admin', 'log');
      expect(stdout.match(/fraud again/g)).to.have.lengthOf(1);
      disk.free();
      service.kill('SIGTERM');
      await service.ended();
      service = await start();
      expect((await fetch(`${service.url}/p/${page.slug}/raw`)).status).to.equal(410);
      expect(hasReserve()).to.equal(true);
    });
  });
