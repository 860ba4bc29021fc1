import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { requireProgram } from '../support/programs.ts';
import { useService } from '../support/service.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** The results of a program that publishes a page, lists it by a tag, updates and deletes it. */
interface Outcome {
  readonly slug: string;
  readonly [part: string]: unknown;
}

interface Program {
  publish(baseUrl: string, token: string): Promise<Outcome>;
}

const run = promisify(execFile);
const sources = fileURLToPath(new URL('../../../test/clients/', import.meta.url));
const require = createRequire(import.meta.url);

/** One class for each schema, body and enum. Without a shared Error schema there would be hundreds. */
const maxPythonModels = 80;
/** The generator knows no text/html, and leaves such a body out with a warning otherwise. */
const pythonConfig = 'content_type_overrides:\n  text/html: application/octet-stream\n';

describe('Clients that are generated from /openapi.json', function () {
  this.timeout(120_000);
  const service = useService();

  async function saveDescription(folder: string): Promise<string> {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, (await service.get('/openapi.json')).text);
    return file;
  }

  /** Checks the result of each step, and that the page is gone. */
  async function expectDone({ slug, ...found }: Outcome): Promise<void> {
    expect(found).to.deep.equal({
      locked: true,
      found: [slug],
      latest_version: 2,
      title: 'Changed',
      removed: 204,
      gone: 'not_found',
    });
    expect((await service.get(`/p/${slug}`)).status).to.equal(404);
  }

  it('TypeScript (openapi-typescript, openapi-fetch): type-checked, it publishes, lists by a tag, updates and deletes', async () => {
    // Below the project, where its packages are found.
    const folder = fileURLToPath(new URL('../../clients/', import.meta.url));
    mkdirSync(folder, { recursive: true });
    cpSync(join(sources, 'publish.ts'), join(folder, 'publish.ts'));
    const description = await saveDescription(folder);
    const generator = join(sources, 'node_modules/openapi-typescript/bin/cli.js'); // beside the TypeScript that it needs
    await run(process.execPath, [generator, description, '-o', join(folder, 'api.ts')]);

    const compilerOptions = { rootDir: '.', outDir: '.', types: [], lib: ['ES2023', 'DOM'] };
    const project = { extends: '../../tsconfig.json', compilerOptions, include: ['.'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const compiling = run(process.execPath, [compiler, '-p', folder]);
    await compiling.catch(({ stdout }: { stdout: string }) => expect.fail(stdout));

    const owner = await service.newOwner();
    const program = await import(pathToFileURL(join(folder, 'publish.js')).href);
    const { publish } = program as Program; // proof: the compiler has just checked it
    await expectDone(await publish(service.url, owner.token));
  });

  it('Python (openapi-python-client): it publishes, lists by a tag, updates and deletes', async function () {
    const generator = requireProgram(this, 'openapi-python-client');
    const bin = dirname(realpathSync(generator));
    const folder = makeTempDir();
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: folder };
    const target = join(folder, 'dropleaf_api');
    const description = await saveDescription(folder);
    const config = join(folder, 'config.yml');
    writeFileSync(config, pythonConfig);
    const args = ['generate', '--path', description, '--output-path', target, '--meta', 'none'];
    await run(generator, [...args, '--config', config, '--fail-on-warning'], { env });
    expect(readdirSync(join(target, 'models')).length).to.be.at.most(maxPythonModels);

    const owner = await service.newOwner();
    const python = join(bin, 'python');
    const { stdout } = await run(python, [join(sources, 'publish.py'), service.url, owner.token], { env });
    await expectDone(JSON.parse(stdout) as Outcome); // proof: publish.py prints one; its parts are compared
  });
});
