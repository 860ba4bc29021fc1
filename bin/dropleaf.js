#!/usr/bin/env node
// Runs the compiled command; compiles it first where the sources are newer. A copy that holds dist/ alone, or no
// compiler, runs what it has. Plain JavaScript that any Node can read, so that an old one gets a clear answer.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const command = join(root, 'dist', 'bin', 'cli.js');
const stamp = join(root, 'dist', '.built');

const problem = findOldNode() ?? findMissingBuild();
if (problem === null) await import(pathToFileURL(command).href);
else {
  process.stderr.write(`dropleaf: ${problem}\n`);
  process.exitCode = 1;
}

/** What is wrong with this Node, or null. */
function findOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return null;
  return `Node ${process.versions.node} is too old: install Node 20.19 or newer`;
}

/** Builds where that is due; what is wrong when there is nothing to run, or null. */
function findMissingBuild() {
  if (isFresh()) return null;
  if (!hasCompiler()) {
    return existsSync(command) ? null : 'it is not built, and the compiler is not installed: run "npm ci"';
  }
  process.stderr.write('dropleaf: compiling the sources, which takes some seconds\n');
  const build = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], {
    stdio: ['ignore', process.stderr.fd, 'inherit'], // stdout belongs to the command
  });
  return build.status === 0 ? null : 'the build failed, see above';
}

function isFresh() {
  if (!existsSync(join(root, 'bin', 'cli.ts'))) return existsSync(command);
  const builtAt = modifiedAt(stamp);
  const inputs = ['api', 'worker', 'shared', 'bin'].flatMap(listTree);
  return ['package.json', 'tsconfig.json', ...inputs].every(
    (path) => modifiedAt(join(root, path)) <= builtAt,
  );
}

/** The folder and all below it: a folder's own time tells of files that were removed. */
function listTree(folder) {
  if (!existsSync(join(root, folder))) return [];
  return [folder, ...readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path))];
}

/** 0 for a file that is not there. */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function hasCompiler() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json');
    return existsSync(join(root, 'scripts', 'build.js'));
  } catch {
    return false; // pruned to what production needs
  }
}
