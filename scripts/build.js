// Compiles TypeScript into dist/, unless dist/ is newer than every source, and bundles cli/ into one file and browser/ into
// one for each of its scripts and style sheets. Types are not checked: that takes ten times as long, and
// `npm run check:types` does it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, parse, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserOptions, framedEntry, framedOptions } from './browser-options.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outDir = join(root, 'dist');
/** Its modification time is the start of the last successful build. */
const stamp = join(outDir, '.built');
/** The client as one file: the service serves it, and the npm package contains it. */
const client = join(outDir, 'cli', 'cli.mjs');
/** Scripts, style sheets and icons of our pages, with a hash of the content in each name, and the list of them. */
const assets = join(outDir, 'browser');
/** Texts that the service shows (api/service/served-text.ts). */
const served = join('docs', 'served');
const folders = [
  'api',
  'worker',
  'shared',
  'bin',
  'browser',
  'cli',
  served,
  'scripts',
  'test',
  'bench',
].filter((folder) => existsSync(join(root, folder)));

if (!isCurrent()) await build();

function isCurrent() {
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = folders.flatMap((folder) => [folder, ...list(folder).map((path) => join(folder, path))]);
  return ['package.json', 'tsconfig.json', ...sources].every(
    (path) => (statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) <= builtAt,
  );
}

async function build() {
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
    if (file.endsWith('.sql') || file.startsWith(served) || /^cli.*\.js$/.test(file))
      cpSync(join(root, file), join(outDir, file));
  }
  removeLeftovers();
  if (folders.includes('cli')) await bundleClient();
  if (folders.includes('browser')) await bundleAssets();
  if (status === 0) {
    writeFileSync(stamp, '');
    utimesSync(stamp, startedAt, startedAt);
  }
  process.exitCode = status ?? 1;
}

/** One module that an old Node can parse too, so that it can say which version is needed. */
async function bundleClient() {
  const { build: bundle } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const constants = [
    'const DROPLEAF_SERVED_BY = null;', // the service writes its address here (api/service/asset-files.ts)
    `const DROPLEAF_VERSION = ${JSON.stringify(version)};`,
  ];
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ['cli/main.ts'],
    outfile: client,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node16',
    minifyWhitespace: true, // a third less to download and to parse; names stay, for stack traces
    banner: {
      // commander is CommonJS and requires Node's modules.
      js: `import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);\n${constants.join('\n')}`,
    },
    logLevel: 'warning',
  });
  const packages = new Set(
    Object.keys(metafile.inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]),
  );
  packages.delete(undefined);
  for (const path of packages) appendFileSync(client, licenseOf(path));
}

/** What the licences of packages ask for: their text goes with the code. */
function licenseOf(path) {
  const file = readdirSync(join(root, path)).find((name) => /^(?:un)?licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${path} has no licence`);
  return `/* Contains ${path.slice('node_modules/'.length)}:\n\n${readFileSync(join(root, path, file), 'utf8').trim()}\n*/\n`;
}

/** Bundles every `browser/NAME.ts` and `browser/NAME.css`. No modules: from another origin they would need CORS. */
async function bundleAssets() {
  const { build: bundle } = await import('esbuild');
  const sources = readdirSync(join(root, 'browser')).filter((name) => /\.(ts|css)$/.test(name));
  const ofOurPages = sources.filter((name) => name !== framedEntry);
  const made = await Promise.all([
    bundle({ ...browserOptions(root, ofOurPages), outdir: assets }),
    bundle({ ...framedOptions(root), outdir: assets }),
  ]);
  const outputFiles = made.flatMap((one) => one.outputFiles);
  const bundles = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  writeAssets([...bundles, ...(await drawIcons())]);
}

/** The leaf for browser tabs, and the picture for home screens. */
async function drawIcons() {
  const { Renderer } = await import('@takumi-rs/core');
  const renderer = new Renderer();
  const read = (name) => readFileSync(join(root, 'browser', 'icons', name));
  const draw = (src, width, format = 'png') =>
    renderer.render({ type: 'image', src, width, height: width }, { width, height: width, format });
  const leaf = read('leaf.svg');
  const app = read('app.svg');
  return [
    { name: 'icon.svg', contents: leaf },
    { name: 'favicon.ico', contents: await draw(leaf, 32, 'ico') },
    { name: 'apple-touch-icon.png', contents: await draw(app, 180) },
    { name: 'icon-192.png', contents: await draw(app, 192) },
    { name: 'icon-512.png', contents: await draw(app, 512) },
  ];
}

/** Writes the files and `assets.json`, which maps each name to the name with the hash. */
function writeAssets(files) {
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  const names = {};
  for (const { name, contents } of files) {
    const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12);
    const { name: stem, ext } = parse(name);
    names[name] = `${stem}-${hash}${ext}`;
    writeFileSync(join(assets, names[name]), contents);
  }
  writeFileSync(join(assets, 'assets.json'), JSON.stringify(names));
}

/** Removes compiled files without a source, so that no test outlives its source. */
function removeLeftovers() {
  for (const file of list('dist')) {
    const path = join(outDir, file);
    const copied = join(root, relative(outDir, path));
    const source = copied.replace(/\.js(\.map)?$/, '.ts');
    if (path === client || path.startsWith(assets) || !statSync(path).isFile()) continue;
    if (!existsSync(source) && !existsSync(copied)) rmSync(path);
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
