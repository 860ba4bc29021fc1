import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dropleaf, startDropleaf, watch } from '../bin/command.ts';
import { createPlainClient } from '../support/client.ts';
import { noLimits } from '../support/no-limits.ts';
import { projectDir } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const built = join(import.meta.dirname, '..', '..', 'bench');

/** Its output; it must end with 0. Without servers. */
async function run(file: string, ...args: readonly string[]): Promise<string> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [join(built, file), ...args], { env: { PATH } });
  const { code, stdout, stderr } = await watch(child).ended();
  expect(code, stderr).to.equal(0);
  return stdout;
}

describe('The benchmarks', () => {
  it('every script bench:NAME runs a file that is built', () => {
    const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
    const files = Object.entries<string>(scripts).flatMap(([name, script]) =>
      name.startsWith('bench') ? [/dist\/(bench\/[\w-]+\.js)$/.exec(script)?.[1] ?? script] : [],
    );
    expect(files).to.have.length(6);
    expect(files.filter((file) => !existsSync(join(built, '..', file)))).to.deep.equal([]);
  });

  it('bench --only growth fills a store, calls every endpoint and runs the periodic jobs', async () => {
    const report = await run(
      'main.js',
      '--only',
      'growth',
      '--engine',
      'embedded',
      '--sizes',
      '1000',
      '--rounds',
      '0',
    );
    expect(report)
      .to.match(/^GET list, views$/m)
      .and.match(/^DELETE drop$/m);
    expect(report).to.match(/^1000 +1[5-9]\d\d /m); // drops, versions
    expect(report).to.match(/^store.reconcile, from the first blob on +1000 /m);
  });

  it('bench prints what a publish costs, beside Express with one durable row', async () => {
    const report = await run('main.js', '--rounds', '1', '--only', 'publishes');
    expect(report)
      .to.match(/^dropleaf( +[\d.]+){5}$/m)
      .and.match(/^Express and one row( +[\d.]+){5}$/m);
  });

  it('bench sends its requests to a service at another address, and deletes what it has published there', async () => {
    const env = { DATA_DIR: makeTempDir(), ...noLimits };
    const other = await startDropleaf(env);
    try {
      const token = (await dropleaf(['token', '--user', 'other'], env)).stdout.trim();
      const options = ['--seconds', '0.2', '--rounds', '1', '--only', 'GET drop'];
      const report = await run('main.js', ...options, '--url', other.url, '--token', token);
      expect(report).to.match(/^GET drop( +[\d.]+){7}$/m);
      const client = createPlainClient(other.url);
      expect((await client.get('/api/drops', { token })).body.pagination.total_items).to.equal(0);
      client.close();
    } finally {
      other.kill('SIGTERM');
      await other.ended();
    }
  });
});
