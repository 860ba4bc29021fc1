import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const folders = ['api', 'worker', 'shared', 'bin', 'browser', 'cli', 'scripts', 'test', 'bench'];

/** A forbidden file, and the rule that must report it. */
interface Planted {
  readonly file: string;
  readonly text: string;
  readonly rule: string;
}

const forbidden: readonly Planted[] = [
  plant('shared/domain/planted.ts', "import type {} from '../log/log.ts';", 'domain-imports-domain'),
  plant('shared/domain/planted-io.ts', "import 'node:fs';", 'rules-are-pure'),
  plant('shared/planted/planted-store.ts', "import '../config/config.ts';", 'contracts-import-contracts'),
  plant('shared/config/planted.ts', "import '../domain/ids.ts';", 'config-imports-config'),
  plant('shared/config/planted-io.ts', "import 'node:fs';", 'config-is-pure'),
  plant('shared/util/planted.ts', "import '../domain/ids.ts';", 'util-imports-util'),
  plant('shared/html/planted.ts', "import '../domain/ids.ts';", 'html-imports-html'),
  plant('shared/page-checks/planted.ts', "import '../html/tree.ts';", 'page-checks-import-page-checks'),
  plant('scripts/planted.ts', "import '../shared/drops/drops.ts';", 'scripts-import-config'),
  plant('shared/planted/planted.ts', "import './sqlite.ts';", 'only-engines-pick-adapters'),
  plant('shared/planted/open.ts', "import '../engines/open-services.ts';", 'engines-are-opened-by-processes'),
  plant('shared/planted-up.ts', "import '../api/planted.ts';", 'shared-imports-shared'),
  plant('shared/planted/sqlite.ts', "import './mongo-planted.ts';", 'sqlite-imports-no-other-technology'),
  plant('shared/planted/mongo-planted.ts', "import './service.ts';", 'adapters-import-contracts'),
  plant('shared/planted/service.ts', "import 'node:net';", 'rules-are-pure'),
  plant('api/planted.ts', "import '../worker/planted.ts';", 'api-imports-services'),
  plant('api/planted-adapter.ts', "import '../shared/planted/sqlite.ts';", 'only-engines-pick-adapters'),
  plant('worker/planted.ts', "import '../api/planted.ts';", 'worker-imports-services'),
  plant('bin/planted.ts', "import '../shared/planted/sqlite.ts';", 'only-engines-pick-adapters'),
  plant('bin/planted-scripts.ts', "import '../scripts/planted.ts';", 'bin-imports-processes'),
  plant('bench/planted.ts', "import '../bin/planted.ts';", 'nobody-imports-bin'),
  plant('api/planted-cli.ts', "import '../cli/errors.ts';", 'nobody-imports-cli'),
  plant('cli/planted.ts', "import '../shared/domain/ids.ts';", 'cli-imports-cli'),
  plant('cli/planted-homeless.ts', "import 'yup';", 'home-of-yup'),
  plant('browser/planted.ts', "import '../shared/domain/ids.ts';", 'browser-imports-browser'),
  plant('browser/planted-node.ts', "import 'node:fs';", 'browser-runs-in-browsers'),
  plant('api/planted-browser.ts', "import '../browser/shared.ts';", 'nobody-imports-browser'),
  plant('worker/planted-test.ts', "import '../test/support/reporter.ts';", 'worker-imports-services'),
  plant('shared/planted/planted-express.ts', "import type {} from 'express';", 'home-of-express'),
  plant(
    'shared/planted/planted-sqlite.ts',
    "import '@photostructure/sqlite';",
    'home-of-photostructure-sqlite',
  ),
  plant('api/planted-dev.ts', "import 'chai';", 'no-dev-dependencies-in-production'),
  plant('api/planted-homeless.ts', "import 'autocannon';", 'packages-have-a-home'),
  plant('test/planted-undeclared.ts', "import 'sonic-boom';", 'declared-packages-only'),
  plant('shared/planted/planted-lost.ts', "import './nowhere.ts';", 'no-unresolvable'),
  plant('api/planted.ts', "import '../worker/planted.ts';", 'no-cycles'),
];

const faulty: readonly Planted[] = [
  plant('shared/planted-env.ts', 'export const port = process.env.PORT;', 'lint/style/noProcessEnv'),
  plant('api/planted-env.ts', "import 'node:process';", 'lint/style/noRestrictedImports'),
  plant(
    'worker/planted-promise.ts',
    'export function fire() {\n  work();\n}\nasync function work() {}',
    'lint/nursery/noFloatingPromises',
  ),
  plant(
    'worker/planted-long.ts',
    `export function long() {\n${'  work();\n'.repeat(61)}}\nfunction work() {}`,
    'lint/complexity/noExcessiveLinesPerFunction',
  ),
  plant(
    'test/planted-nested.ts',
    'export const sign = (n: number) => (n > 0 ? 1 : n < 0 ? -1 : 0);',
    'lint/style/noNestedTernary',
  ),
  plant('worker/planted-any.ts', 'export const anything: any = 1;', 'lint/suspicious/noExplicitAny'),
  plant('worker/planted-sure.ts', "export const first = ''.at(0)!;", 'lint/style/noNonNullAssertion'),
  plant(
    'worker/planted-suffix.ts',
    "import '../shared/jobs/job-catalogue';",
    'lint/correctness/useImportExtensions',
  ),
  plant('test/planted-list.ts', 'export const [one, two] = [1, 2];', 'plugin'),
  plant('test/planted-object.ts', 'export const { one, two } = { one: 1, two: 2 };', 'plugin'),
  plant('worker/planted-spread.ts', 'export const sum = { ...{ one: 1 }, two: 2 };', 'plugin'),
  plant('worker/planted-ring-a.ts', "import './planted-ring-b.ts';", 'lint/suspicious/noImportCycles'),
  plant('worker/planted-ring-b.ts', "import './planted-ring-a.ts';", 'lint/suspicious/noImportCycles'),
];

describe('The rules of `npm run check`', () => {
  let copy: string;

  before(() => {
    copy = copyTree();
    plantAll([...forbidden, ...faulty]);
  });
  after(() => rmSync(copy, { recursive: true }));

  it('report each forbidden import by the name of its rule', () => {
    const found = cruise();
    const missed = forbidden.filter(
      ({ file, rule }) => !found.some((line) => line.startsWith(`${rule}: ${file} `)),
    );
    expect(missed).to.deep.equal([]);
  });

  it('report each fault of style and safety by the name of its rule', () => {
    const report = run('biome', ['ci', '--reporter=github', '--max-diagnostics=none']);
    for (const { file, rule } of faulty) {
      expect(report).to.match(
        new RegExp(`::error title=${rule},file=\\S*${file.replace('.', '\\.')},`),
        file,
      );
    }
  });

  it('report dead files and dead exports', () => {
    writeFileSync(join(copy, 'shared/planted-dead.ts'), 'export {};\n');
    writeFileSync(join(copy, 'shared/planted-part.ts'), 'export const unused = 1;\n');
    writeFileSync(join(copy, 'test/planted.test.ts'), "import '../shared/planted-part.ts';\n");
    const report = run('knip', ['--no-progress', '--reporter', 'json']);
    expect(report).to.match(/"files":\[\{"name":"shared\/planted-dead\.ts"/);
    expect(report).to.match(/"file":"shared\/planted-part\.ts"[^}]*"exports":\[\{"name":"unused"/);
  });

  function plantAll(planted: readonly Planted[]): void {
    for (const { file, text } of planted) {
      mkdirSync(join(copy, dirname(file)), { recursive: true });
      writeFileSync(join(copy, file), `${text}\n`);
    }
  }

  /** `rule: from → ` for each violation. */
  function cruise(): string[] {
    const options = ['--config', '.dependency-cruiser.js', '--output-type', 'json', ...folders];
    const { summary } = JSON.parse(run('depcruise', options)) as Cruise; // the tool's documented format
    return summary.violations.map(({ from, rule }) => `${rule.name}: ${from} `);
  }

  /** A tool's report, whatever its exit code. */
  function run(tool: string, options: readonly string[]): string {
    const program = join(projectDir, 'node_modules', '.bin', tool);
    const { stdout, error } = spawnSync(program, options, {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (error) throw error;
    return stdout;
  }
});

interface Cruise {
  readonly summary: { readonly violations: readonly { from: string; rule: { name: string } }[] };
}

function plant(file: string, text: string, rule: string): Planted {
  return { file, text, rule };
}

/** The product's sources and the tools' settings. */
function copyTree(): string {
  const copy = makeTempDir();
  const settings = [
    'package.json',
    'tsconfig.json',
    'biome.json',
    'packed-code.grit',
    'knip.json',
    '.dependency-cruiser.js',
  ];
  const filter = (path: string) => path !== join(projectDir, 'test', 'clients'); // a package of its own
  for (const name of [...folders, ...settings]) {
    cpSync(join(projectDir, name), join(copy, name), { recursive: true, filter });
  }
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
