import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { copyDeployed, projectDir } from './deployed.ts';

describe('what a platform deploys: compiled, without sources and devDependencies', () => {
  let copy: string;
  let service: ChildProcess | undefined;

  before(() => {
    copy = copyDeployed();
    for (const folder of listProductionPackages()) {
      mkdirSync(join(copy, dirname(folder)), { recursive: true });
      symlinkSync(join(projectDir, folder), join(copy, folder));
    }
  });
  afterEach(async () => {
    service?.kill('SIGTERM');
    if (service !== undefined && service.exitCode === null) await once(service, 'exit');
  });

  it('has no compiler', () => {
    expect(existsSync(join(copy, 'node_modules/express'))).to.equal(true);
    expect(existsSync(join(copy, 'node_modules/typescript'))).to.equal(false);
  });

  it('starts, renders and serves a page', async () => {
    const env = { ...settings(), PORT: '0' };
    service = spawn(process.execPath, [join(copy, 'bin/dropleaf.js'), 'start'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await printedAddress(service);
    const { stdout: token } = run('token', '--user', 'me');
    const response = await fetch(`${url}/api/drops`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.trim()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'Pruned', html: '<h1>Pruned</h1>' }),
    });
    expect(response.status).to.equal(201);
    const drop = (await response.json()) as { url: string; raw_url: string }; // proof: read below
    expect(await (await fetch(drop.raw_url)).text()).to.contain('<h1>Pruned</h1>');
    expect((await fetch(drop.url)).status).to.equal(200);
    expect((await fetch(`${url}/docs`)).status).to.equal(200);
  });

  it('has all that the processes of the Procfile load', () => {
    const lines = readFileSync(join(projectDir, 'Procfile'), 'utf8').trimEnd().split('\n');
    const commands = lines.map(
      (line) => /^(web|worker|release): node bin\/dropleaf\.js (\S+)$/.exec(line)?.[2],
    );
    expect(commands).to.deep.equal(['web', 'worker', 'migrate']);
    for (const command of commands) {
      const { stderr, status } = run(command ?? '');
      expect({ command, status }, stderr).to.deep.equal({ command, status: 2 });
      expect(stderr).to.match(/^dropleaf: .*MONGODB_URI/);
    }
  });

  /** So that a package is looked for beside the link, as if it lay there, and not where the link leads. */
  function settings() {
    const { PATH = '' } = process.env;
    const NODE_OPTIONS = '--preserve-symlinks --preserve-symlinks-main';
    return { PATH, NODE_OPTIONS, DATA_DIR: join(copy, 'data'), LOG_LEVEL: 'error' };
  }

  function run(...args: string[]) {
    const launcher = join(copy, 'bin/dropleaf.js');
    return spawnSync(process.execPath, [launcher, ...args], { env: settings(), encoding: 'utf8' });
  }
});

/** What `npm prune --omit=dev` leaves: folders below the root. A package's own node_modules come with it. */
function listProductionPackages(): string[] {
  const file = readFileSync(join(projectDir, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(file) as { packages: Record<string, { dev?: true }> }; // proof: npm's own format
  return Object.entries(packages)
    .filter(([folder, { dev }]) => folder.split('node_modules/').length === 2 && dev !== true)
    .map(([folder]) => folder)
    .filter((folder) => existsSync(join(projectDir, folder))); // builds for other systems are not installed
}

async function printedAddress(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('its stdout is a pipe');
  let printed = '';
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    printed += chunk;
    const address = /runs at (http\S+)/.exec(printed)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`it ended: ${printed}`);
}
