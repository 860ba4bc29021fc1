import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { listen } from '../support/listen.ts';
import { requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { type Watched, watch } from './command.ts';
import { useHome } from './home.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));
const { PATH = '' } = process.env;

describe('bin/dropleaf.js', () => {
  it('says how to build if it is not built', () => {
    const { stdout, stderr, status } = run(copyFiles('bin/dropleaf.js', 'package.json'), 'bin/dropleaf.js');
    expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
    expect(stderr).to.equal('dropleaf: the program is not built: run "npm ci", then "npm run build"\n');
  });

  it('is run beside the units of systemd by a script that passes on its arguments as they are', () => {
    const dir = makeTempDir();
    writeFileSync(join(dir, 'systemd-run'), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });
    const args = ['admin', 'takedown', 'abc', '--reason', "sells 'a' for $5"];
    const script = join(projectDir, 'deploy/systemd-command.sh');
    const { stdout, status } = spawnSync(script, args, { env: { PATH: `${dir}:${PATH}` }, encoding: 'utf8' });
    expect(status).to.equal(0);
    // systemd makes one dollar of two.
    expect(stdout).to.include("bin/dropleaf.js|admin|takedown|abc|--reason|sells 'a' for $$5|");
    const unit = readFileSync(join(projectDir, 'deploy/systemd/dropleaf.service'), 'utf8');
    for (const [, setting = ''] of stdout.matchAll(/--setenv=([^|]+)/g)) expect(unit).to.include(setting);
    expect(unit).to.include('EnvironmentFile=-/etc/dropleaf/env').and.include('UMask=0077');
  });

  it('sets the thresholds of malloc for the process, and every way to start the service runs it itself', () => {
    const copy = copyFiles('bin/dropleaf.js', 'package.json');
    mkdirSync(join(copy, 'dist/bin'), { recursive: true });
    writeFileSync(join(copy, 'dist/bin/cli.js'), 'process.stdout.write(JSON.stringify(process.env));');
    const { stdout } = spawnSync(join(copy, 'bin/dropleaf.js'), { env: { PATH }, encoding: 'utf8' });
    const thresholds = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
    expect(JSON.parse(stdout)).to.include(thresholds);
    const units = readdirSync(join(projectDir, 'deploy/systemd')).filter((name) => name.endsWith('.service'));
    for (const file of [
      'package.json',
      'Procfile',
      'Dockerfile',
      ...units.map((unit) => `deploy/systemd/${unit}`),
    ]) {
      const starts = readFileSync(join(projectDir, file), 'utf8').match(
        /^[^#\n]*(exec|web:|ENTRYPOINT|ExecStart=).*dropleaf\.js.*$/gm,
      );
      expect(starts, file).to.have.lengthOf(1);
      expect(starts?.[0], file).to.not.match(/\bnode\b/);
    }
  });

  it('says which Node it needs if it runs on an older one', () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } });";
    const { stdout, stderr, status } = run(
      projectDir,
      '--import',
      `data:text/javascript,${pretend}`,
      'bin/dropleaf.js',
    );
    expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
    expect(stderr).to.equal('dropleaf: Node 20.18.3 is too old: install Node 20.19 or newer\n');
  });
});

describe('deploy/wait-until-ready.js, for which a unit of systemd waits', () => {
  const home = useHome();

  const waitFor = (env: Record<string, string>) =>
    watch(spawn(join(projectDir, 'deploy/wait-until-ready.js'), ['0.1'], { env: { PATH, ...env } })).ended();

  /** A process that answers each request so. */
  async function withAnswers(statuses: number[], use: (env: Record<string, string>) => Promise<void>) {
    const server = createServer((_, response) =>
      response.writeHead(statuses.shift() ?? 200).end('disk_full'),
    );
    const port = await listen(server);
    await use({ PORT: String(port), MAINPID: String(process.pid) });
    server.close();
  }

  it('ends when the service is ready, at the address of its settings', async () => {
    const { port } = new URL((await home.start()).url);
    for (const HOST of ['', '127.0.0.1', '0.0.0.0']) {
      expect(await waitFor({ HOST, PORT: `${port} `, MAINPID: String(process.pid) }), HOST).to.deep.equal({
        stdout: '',
        stderr: '',
        code: 0,
      });
    }
  });

  it('waits for a service that does not listen yet', async () => {
    const server = createServer((_, response) => response.end());
    const port = await listen(server);
    await once(server.close(), 'close');
    const waiting = waitFor({ PORT: String(port), MAINPID: String(process.pid) });
    server.listen(port, '127.0.0.1');
    expect(await waiting).to.include({ stderr: '', code: 0 });
    server.close();
  });

  it('leaves a service that is not ready in time running, and says why', () =>
    withAnswers(Array(100).fill(503), async (env) => {
      expect(await waitFor(env)).to.include({ stderr: 'not ready after 0.1 s: disk_full\n', code: 0 });
    }));

  it('fails if the process of the service has ended', async () => {
    const { pid = 0 } = spawnSync('true');
    expect(await waitFor({ PORT: '1', MAINPID: String(pid) })).to.include({
      stderr: 'the process has ended\n',
      code: 1,
    });
  });
});

describe('A service that is deployed without', () => {
  for (const [what, path, answer] of [
    [
      'the built files for browsers',
      'dist/browser',
      /browser\/ is not built: .* \(no .*\/dist\/browser\/assets\.json\)/,
    ],
    ['the built client', 'dist/cli/cli.mjs', /the client is not built: .* \(no .*\/dist\/cli\/cli\.mjs\)/],
  ] as const)
    it(`${what}: does not start, and says how to build`, () => {
      const folder = copyDeployed();
      symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
      rmSync(join(folder, path), { recursive: true });
      const { stderr, status } = run(folder, 'bin/dropleaf.js', 'start');
      expect(status).to.equal(1);
      const [line] = /^dropleaf: .*: run "npm run build" \(.*\)$/m.exec(stderr) ?? [stderr];
      expect(line).to.match(answer);
    });
});

describe('scripts/build.js', () => {
  let copy: string;

  beforeEach(() => {
    copy = copyFiles(
      'bin/dropleaf.js',
      'scripts/build.js',
      'scripts/browser-options.js',
      'package.json',
      'tsconfig.json',
    );
    write('bin/cli.ts', "process.stdout.write('first');\n");
  });

  it('without a compiler says what to install, or leaves an existing build as it is', () => {
    const { stderr, status } = run(copy, 'scripts/build.js');
    expect(status).to.equal(1);
    expect(stderr).to.equal('dropleaf: TypeScript is not installed: run "npm ci"\n');
    write('dist/bin/cli.js', "process.stdout.write('deployed');\n");
    expect(run(copy, 'scripts/build.js').status).to.equal(0);
    expect(run(copy, 'bin/dropleaf.js').stdout).to.equal('deployed');
  });

  it('builds if a source is new, changed or removed, and removes what it built from a removed source', () => {
    symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
    write('shared/old.ts', 'export const old: number = "types are not checked";\n');
    build();
    expect(run(copy, 'bin/dropleaf.js').stdout).to.equal('first');
    write('dist/bin/cli.js', "process.stdout.write('kept');\n");
    build();
    expect(run(copy, 'bin/dropleaf.js').stdout).to.equal('kept');
    rmSync(join(copy, 'shared/old.ts'));
    touchLater('shared');
    build();
    expect(existsSync(join(copy, 'dist/shared/old.js'))).to.equal(false);
    write('bin/cli.ts', 'const port = ;\n');
    touchLater('bin/cli.ts');
    const { stdout, status } = run(copy, 'scripts/build.js');
    expect(status).to.not.equal(0);
    expect(stdout).to.match(/bin\/cli\.ts.*TS1109/);
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }

  function build(): void {
    const { stderr, status } = run(copy, 'scripts/build.js');
    expect(status, stderr).to.equal(0);
  }

  /** Dates a change after the build, also on a file system with coarse times. */
  function touchLater(file: string): void {
    const later = new Date(Date.now() + 2_000);
    utimesSync(join(copy, file), later, later);
  }
});

describe('The commands that bin/dropleaf.js start prints', () => {
  const home = useHome();

  it('publish a page and print the sign-in key when they are pasted into a shell', async function () {
    requireProgram(this, 'curl');
    const { output } = await home.start({ DATA_DIR: join(home.dir, "it's data") });
    const lines = output.stdout
      .split('\n')
      .filter((line) => /^ {2,}(cd|TOKEN=|curl -sS|-|.* sign-in-key$)/.test(line));
    const { stdout } = await promisify(execFile)('sh', ['-euc', lines.join('\n')], { cwd: '/' });
    const [, json = '', key = ''] = /^(\{.*\})\n?(\S{20,})\n$/s.exec(stdout) ?? [];
    expect(JSON.parse(json).title).to.equal('Hello');
    expect(await (await fetch(JSON.parse(json).raw_url)).text()).to.contain('Hello, world');
    expect(readFileSync(join(home.dir, "it's data", 'sign-in-key'), 'utf8')).to.contain(key);
  });
});

describe('npm start', () => {
  let folder: string;
  let group: number | undefined;

  before(function () {
    requireProgram(this, 'npm');
    folder = copyDeployed();
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  });
  afterEach(() => {
    if (group !== undefined && isRunning(group)) process.kill(group, 'SIGKILL');
  });

  it('exits in order on SIGTERM to npm', async () => {
    const { npm, url } = await start();
    npm.kill('SIGTERM');
    await expectOneStop(npm, url);
  });

  it('exits in order on Ctrl+C, which signals the whole process group', async () => {
    const { npm, url } = await start();
    process.kill(group ?? 0, 'SIGINT');
    await expectOneStop(npm, url);
  });

  async function start(): Promise<{ npm: Watched; url: string }> {
    const child = spawn('npm', ['start'], {
      cwd: folder,
      env: { PATH, HOME: folder, DATA_DIR: makeTempDir(), PORT: '0', npm_config_update_notifier: 'false' },
      detached: true, // a process group of its own, as a shell creates for a command
    });
    if (child.pid === undefined) throw new Error('npm could not be started');
    group = -child.pid; // as kill() takes it
    const npm = watch(child);
    return { npm, url: await npm.firstMatch(/runs at (http\S+)/) };
  }

  async function expectOneStop(npm: Watched, url: string): Promise<void> {
    const { stderr } = await npm.ended();
    await until(() => !isRunning(group ?? 0), 'the process group is empty');
    expect(await fetch(url).catch(() => null), `${url} still answers`).to.equal(null);
    const messages = [...stderr.matchAll(/"msg":"(stopping|stopped)"/g)].map(([, message]) => message);
    expect(messages, stderr).to.deep.equal(['stopping', 'stopped']);
  }
});

function run(folder: string, ...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: folder, env: { PATH }, encoding: 'utf8' });
}

/** @returns a new folder with these files of the project */
function copyFiles(...files: string[]): string {
  const copy = makeTempDir();
  for (const file of files) cpSync(join(projectDir, file), join(copy, file));
  return copy;
}

function copyDeployed(): string {
  const copy = copyFiles(
    'bin/dropleaf.js',
    'scripts/build.js',
    'scripts/browser-options.js',
    'package.json',
    'dist/.built',
  );
  for (const folder of ['api', 'bin', 'browser', 'cli', 'docs', 'shared', 'worker']) {
    cpSync(join(projectDir, 'dist', folder), join(copy, 'dist', folder), { recursive: true });
  }
  return copy;
}

/** Whether any process of that group runs. */
function isRunning(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false; // ESRCH
  }
}
