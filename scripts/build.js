// Compiles TypeScript into dist/ (or the folder named by the first argument), puts beside it the files that are
// read at run time as they are, and removes what has no source any more. `.built` dates the last whole build.
// Types are not checked here: that takes ten times as long, and `npm run check:types` does it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outDir = join(root, process.argv[2] ?? 'dist');
const stamp = join(outDir, '.built');
const copied = /\.(sql|css)$/;
const startedAt = new Date();

rmSync(stamp, { force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
const { status } = spawnSync(
  process.execPath,
  [join(dirname(tsc), 'bin', 'tsc'), '--noCheck', '--outDir', outDir],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
for (const file of ['api', 'shared'].flatMap((folder) => listFiles(join(root, folder)))) {
  if (copied.test(file)) cpSync(file, join(outDir, relative(root, file)));
}
for (const file of listFiles(outDir)) {
  const source = join(root, relative(outDir, file)).replace(/\.js(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(file); // a test whose source is gone would go on passing
}
if (status === 0) {
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt); // a file that changed meanwhile is newer
}
process.exitCode = status ?? 1;

function listFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
