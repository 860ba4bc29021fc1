import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../support/temp-dir.ts';

export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));
const compiled = fileURLToPath(new URL('../../', import.meta.url));

/** A new folder with what runs in production, compiled, without sources and packages. @returns the folder */
export function copyDeployed(): string {
  const copy = makeTempDir();
  for (const file of ['package.json', 'bin/dropleaf.js']) cpSync(join(projectDir, file), join(copy, file));
  for (const folder of ['api', 'bin', 'shared', 'worker']) {
    cpSync(join(compiled, folder), join(copy, 'dist', folder), { recursive: true });
  }
  return copy;
}
