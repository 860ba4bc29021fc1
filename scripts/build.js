// Compiles TypeScript into dist/, unless dist/ is newer than every source. Types are not checked: that takes ten
// times as long, and `npm run check:types` does it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outDir = join(root, 'dist');
/** Its modification time is the start of the last successful build. */
const stamp = join(outDir, '.built');
const folders = ['api', 'worker', 'shared', 'bin', 'scripts', 'test', 'bench'].filter((folder) =>
  existsSync(join(root, folder)),
);

if (!isCurrent()) build();

function isCurrent() {
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = folders.flatMap((folder) => [folder, ...list(folder).map((path) => join(folder, path))]);
  return ['package.json', 'tsconfig.json', ...sources].every(
    (path) => (statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) <= builtAt,
  );
}

function build() {
  const startedAt = new Date();
  const compiler = findCompiler();
  if (compiler === null) {
    if (existsSync(join(outDir, 'bin', 'cli.js'))) return; // deployed without devDependencies: run the last build
    process.stderr.write('dropleaf: TypeScript is not installed: run "npm ci"\n');
    process.exitCode = 1;
    return;
  }
  rmSync(stamp, { force: true });
  const { status } = spawnSync(process.execPath, [compiler, '--noCheck', '--outDir', outDir], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const file of folders.flatMap((folder) => list(folder).map((path) => join(folder, path)))) {
    if (/\.(sql|css)$/.test(file)) cpSync(join(root, file), join(outDir, file));
  }
  removeLeftovers();
  if (status === 0) {
    writeFileSync(stamp, '');
    utimesSync(stamp, startedAt, startedAt);
  }
  process.exitCode = status ?? 1;
}

/** Removes compiled files without a source, so that no test outlives its source. */
function removeLeftovers() {
  for (const file of list('dist')) {
    const path = join(outDir, file);
    const source = join(root, relative(outDir, path)).replace(/\.js(\.map)?$/, '.ts');
    if (statSync(path).isFile() && !existsSync(source)) rmSync(path);
  }
}

function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    return null;
  }
}

/** The paths of all files and folders in `folder`, relative to it. */
function list(folder) {
  return readdirSync(join(root, folder), { recursive: true });
}
