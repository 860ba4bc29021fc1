// Compiles TypeScript into dist/ (or the folder named by the first argument) and puts beside it the files
// that are read at run time as they are.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outDir = join(root, process.argv[2] ?? 'dist');
const copied = /\.(sql|css)$/;

const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
const { status } = spawnSync(process.execPath, [join(dirname(tsc), 'bin', 'tsc'), '--outDir', outDir], {
  cwd: root,
  stdio: 'inherit',
});
for (const folder of ['api', 'shared']) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (copied.test(entry.name)) cpSync(file, join(outDir, relative(root, file)));
  }
}
process.exitCode = status ?? 1;
