import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { knownDataForm } from '../../shared/sqlite/data-form.ts';
import { formOf, makeOlderData } from '../support/older-data.ts';
import { openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { logOf, type RunningService, watch } from './command.ts';
import { publish } from './home.ts';

/** Warnings that have other causes: a kill -9, and a machine that is too busy to render a page at once. */
const expectedElsewhere: readonly unknown[] = [
  'job runs again: its process ended, hung, or could not record the end of the job',
  'a page was served without a full parse',
];

describe('A full disk', () => {
  let disk: SmallDisk;
  let service: RunningService;
  let token: string;
  let page: { readonly slug: string; readonly raw_url: string };
  const env = () => ({ DATA_DIR: `${disk.dir}/data`, PORT: '0' });

  before(async function () {
    disk = await openSmallDisk(this, 6);
    service = await start();
    token = (await run('token', '--user', 'me')).stdout.trim();
    page = await publish(service.url, token, '<h1>Before</h1>');
  });
  after(async () => {
    service?.kill('SIGKILL');
    await disk?.close();
  });

  async function start(): Promise<RunningService> {
    const running = watch(disk.spawn(['start'], env()));
    return { ...running, url: await running.firstMatch(/runs at (http\S+)/) };
  }

  const run = (...args: string[]) => watch(disk.spawn(args, env())).ended();

  async function post(html: string) {
    const response = await fetch(`${service.url}/api/drops?title=x`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/html' },
      body: html,
    });
    const { error } = (await response.json()) as { error?: { code: string; details: object } }; // proof: the envelope
    return { status: response.status, error, retryAfter: response.headers.get('retry-after') };
  }

  /** The WAL may have room for a small write, so the documents are large. */
  const postLarge = () => post(`<p>${'x'.repeat(1_500_000)}`);

  const readiness = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };

  async function expectPagesAnswer(): Promise<void> {
    const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140' };
    for (const path of [`/p/${page.slug}`, `/p/${page.slug}/raw`]) {
      expect((await fetch(service.url + path, { headers: browser })).status, path).to.equal(200);
    }
  }

  it('answers writes 503 with Retry-After, pages 200, and /readyz 503 with the reason', async () => {
    disk.fill();
    await until(async () => (await postLarge()).status !== 201, 'a write fails');
    const { status, error, retryAfter } = await postLarge();
    expect({ status, code: error?.code, retryAfter }).to.deep.equal({
      status: 503,
      code: 'unavailable',
      retryAfter: '10',
    });
    expect(error?.details).to.include({ reason: 'disk_full' });
    await expectPagesAnswer();
    const { status: readyStatus, text } = await readiness();
    expect(readyStatus).to.equal(503);
    expect(text).to.contain('"disk_full"').and.not.to.contain(disk.dir);
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
  });

  it('leaves no half backup', async () => {
    const { stdout, stderr, code } = await run('backup', `${disk.dir}/backups`);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/^dropleaf: [^\n]+\n$/);
    const left = existsSync(disk.pathOf('backups')) ? readdirSync(disk.pathOf('backups')) : [];
    expect(left.filter((name) => name.includes('dropleaf-2'))).to.deep.equal([]);
  });

  it('leaves no half archive; the error names the file', async () => {
    const { stderr, code } = await run('export', `${disk.dir}/a.tar`);
    expect({ stderr, code }).to.deep.equal({
      stderr: `dropleaf: a.tar cannot be written to ${disk.dir}: ENOSPC: no space left on device, write\n`,
      code: 1,
    });
    expect(readdirSync(disk.pathOf('')).filter((name) => name.startsWith('a.tar'))).to.deep.equal([]);
  });

  for (const [signal, code] of [
    ['SIGKILL', null],
    ['SIGTERM', 0],
  ] as const)
    it(`after ${signal} the service starts without a free byte, answers reads, and refuses writes`, async () => {
      await until(
        async () => (await post(`<p>${'x'.repeat(100_000)}`)).status !== 201,
        'the WAL takes what was freed',
      );
      service.kill(signal);
      expect((await service.ended()).code).to.equal(code);
      disk.fill();
      expect(disk.freeBytes()).to.equal(0);
      if (signal === 'SIGKILL') expect(statSync(disk.pathOf('data/dropleaf.sqlite-wal')).size).to.be.above(0);
      service = await start();
      await expectPagesAnswer();
      const { status, error } = await postLarge();
      expect({ status, reason: Reflect.get(error?.details ?? {}, 'reason') }).to.deep.equal({
        status: 503,
        reason: 'disk_full',
      });
      expect((await readiness()).text).to.contain('"disk_full"');
    });

  it('data of an older release are not migrated, and start says why', async () => {
    disk.free();
    const made = makeTempDir(); // SQLite would take the path of the disk for one of this process
    makeOlderData(made);
    writeFileSync(join(made, 'dropleaf.sqlite-shm'), Buffer.alloc(32_768), { mode: 0o600 }); // a service leaves it there
    cpSync(made, disk.pathOf('older'), { recursive: true });
    disk.fill();
    const older = { ...env(), DATA_DIR: `${disk.dir}/older` };
    for (const command of ['start', 'migrate']) {
      const { stdout, stderr, code } = await watch(disk.spawn([command], older)).ended();
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(
        /^dropleaf: The database \S+ cannot be migrated: its disk is full \(\d+ bytes free\); free some space and start again\n$/,
      );
      const left = makeTempDir();
      cpSync(disk.pathOf('older'), left, { recursive: true });
      expect(formOf(left)).to.equal(knownDataForm() - 1);
    }
  });

  it('logs one line with the free bytes, and no stack', async () => {
    for (let n = 0; n < 20; n++) await postLarge();
    await until(async () => service.output.stderr.includes('freeBytes'), 'the line is written');
    const failures = logOf(service.output)
      .filter(({ level }) => level === 'warn' || level === 'error')
      .filter(({ msg }) => !expectedElsewhere.includes(msg));
    expect(failures.map(({ msg }) => msg)).to.deep.equal([
      'the disk of DATA_DIR does not accept writes: they are answered 503, reads continue. Free space on it, or repair it; the ' +
        'service then continues by itself',
    ]);
    expect(failures[0]).to.include({ reason: 'disk_full', dataDir: `${disk.dir}/data` });
    expect(failures[0]?.freeBytes).to.be.below(1_000_000);
    expect(JSON.stringify(failures)).not.to.contain('"stack"');
  });

  it('recovers by itself once there is space, and stops in order', async () => {
    disk.free();
    await until(async () => (await readiness()).status === 200, 'it is ready');
    expect((await post('<p>After')).status).to.equal(201);
    await until(async () => service.output.stderr.includes('accepts writes again'), 'that is logged');
    service.kill('SIGTERM');
    expect((await service.ended()).code).to.equal(0);
  });
});
