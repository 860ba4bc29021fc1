import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readManifest } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, type Env, launch } from './command.ts';

/**
 * Kills an import into an empty store, and expects that the store has nothing or is refused, and that the import can be
 * repeated and then has stored all of the archive.
 * @param afterMs from its start
 */
export async function killImport(file: string, env: Env, afterMs: number): Promise<void> {
  const importing = launch(['import', file], env);
  await sleep(afterMs);
  importing.kill('SIGKILL');
  const hasEnded = (await importing.ended()).code === 0;
  const left = await dropleaf(['export', '-'], env);
  const isRefused = /these data are incomplete: the import of the archive /.test(left.stderr);
  if (!hasEnded) {
    if (isRefused) expect((await dropleaf(['start'], env)).stderr).to.match(/^.*these data are incomplete/s);
    const isAbsent = /no Dropleaf data in|the data have form 0|MongoDB lacks|MongoDB has form 1/.test(
      left.stderr,
    );
    const isEmpty = /^Exported nothing, 0 documents, 0 contexts: /.test(left.stderr);
    expect(isRefused || isAbsent || isEmpty, left.stderr).to.equal(true);
    const repeated = await dropleaf(['import', file], env);
    expect(repeated.code, repeated.stderr).to.equal(0);
  }
  const again = join(makeTempDir(), 'again.tar');
  expect((await dropleaf(['export', again], env)).code).to.equal(0);
  expect(await readManifest(again)).to.equal(await readManifest(file));
}

/** How long an import takes, in ms. */
export async function timeImport(file: string, env: Env): Promise<number> {
  const startedAt = performance.now();
  const { code, stderr } = await launch(['import', file], env).ended();
  expect(code, stderr).to.equal(0);
  return performance.now() - startedAt;
}
