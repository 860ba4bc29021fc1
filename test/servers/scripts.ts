import { fileURLToPath } from 'node:url';

/** The project's folder; this file is compiled into `dist/test/servers/`. */
export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** A shell script of this folder: the compiler leaves them where they are. */
export function script(name: string): string {
  return `${projectDir}test/servers/${name}`;
}
