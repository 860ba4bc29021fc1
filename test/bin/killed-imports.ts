import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readManifest } from '../support/archives.ts';
import { createRandom } from '../support/random.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, type Env, launch } from './command.ts';

/** What commands say before an import has created or migrated the store. */
const absent = /no Dropleaf data in|the data have form 0|MongoDB lacks|MongoDB has form 1/;
const unfinished = /^dropleaf: these data are incomplete: the import of the archive /;

/**
 * Kills imports into empty stores, one in each part of an import's time. @param from the part before which none is killed
 * @param inEmpty calls its argument with an empty store
 */
export async function killImports(
  file: string,
  { count, from }: { readonly count: number; readonly from: number },
  inEmpty: (use: (env: Env) => Promise<void>) => Promise<void>,
): Promise<void> {
  const random = createRandom(24);
  const whole = await readManifest(file);
  let duration = 0;
  await inEmpty(async (env) => {
    const startedAt = performance.now();
    const { code, stderr } = await launch(['import', file], env).ended();
    expect(code, stderr).to.equal(0);
    duration = performance.now() - startedAt;
  });
  for (let n = 0; n < count; n++) {
    const afterMs = duration * (from + ((1 - from) * (n + random())) / count);
    await inEmpty((env) => killImport(file, env, { afterMs, whole }));
  }
}

/** The store must be absent, refused, empty (MongoDB), or whole. Unless it is whole, the import is repeated. */
async function killImport(
  file: string,
  env: Env,
  { afterMs, whole }: { readonly afterMs: number; readonly whole: string },
): Promise<void> {
  const importing = launch(['import', file], env);
  await sleep(afterMs);
  importing.kill('SIGKILL');
  await importing.ended();
  const left = await exportFrom(env);
  if (left.manifest === whole) return;
  if (unfinished.test(left.stderr)) {
    const { stderr, code } = await dropleaf(['start'], env);
    expect(code).to.equal(1);
    expect(stderr).to.contain('these data are incomplete');
  } else if (left.manifest === null) expect(left.stderr).to.match(absent);
  else {
    expect(left.stdout).to.match(/^Exported nothing, 0 documents, 0 contexts: /);
    expect(env).to.include.keys('MONGODB_URI');
  }
  const repeated = await dropleaf(['import', file], env);
  expect(repeated.code, repeated.stderr).to.equal(0);
  expect((await exportFrom(env)).manifest).to.equal(whole);
}

/** @returns `manifest` null: it failed */
async function exportFrom(env: Env) {
  const file = join(makeTempDir(), 'left.tar');
  const outcome = await dropleaf(['export', file], env);
  return { ...outcome, manifest: outcome.code === 0 ? await readManifest(file) : null };
}
