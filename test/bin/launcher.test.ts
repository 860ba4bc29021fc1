import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sayHello = "process.stdout.write('hello ' + process.argv.slice(2).join(' '));\n";

describe('bin/dropleaf.js', () => {
  let copy: string;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'dropleaf-launcher-'));
    for (const file of ['bin/dropleaf.js', 'scripts/build.js', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, file), join(copy, file));
    }
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it('runs a deployed dist that has neither sources nor a compiler', () => {
    write('dist/bin/cli.js', sayHello);
    expect(launch(['a', 'b'])).to.include({ stdout: 'hello a b', stderr: '', status: 0 });
  });

  it('runs an older dist where the compiler is not installed', () => {
    write('dist/bin/cli.js', sayHello);
    writeSources();
    expect(launch([])).to.include({ stdout: 'hello ', stderr: '', status: 0 });
  });

  it('says what to do where nothing is built and there is no compiler', () => {
    writeSources();
    const { stdout, stderr, status } = launch([]);
    expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
    expect(stderr).to.match(/^dropleaf: it is not built.*npm ci/);
  });

  it('says which Node it needs when run by an older one', () => {
    write('dist/bin/cli.js', sayHello);
    const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } });";
    const { stdout, stderr, status } = launch([], ['--import', `data:text/javascript,${pretend}`]);
    expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
    expect(stderr).to.equal('dropleaf: Node 20.18.3 is too old: install Node 20.19 or newer\n');
  });

  describe('with sources and a compiler', () => {
    beforeEach(() => {
      writeSources();
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    });

    it('compiles before the first run and says so on stderr, and not again while nothing changes', () => {
      const { stdout, stderr, status } = launch(['x']);
      expect({ stdout, status }).to.deep.equal({ stdout: 'hello x', status: 0 });
      expect(stderr).to.match(/^dropleaf: compiling [^\n]+\n$/);
      writeFileSync(join(copy, 'dist/bin/cli.js'), "process.stdout.write('as built');\n");
      expect(launch(['x'])).to.include({ stdout: 'as built', stderr: '', status: 0 });
    });

    it('leaves the check of types to "npm run check:types"', () => {
      write('bin/cli.ts', `const port: number = 'x';\n${sayHello}`);
      expect(launch(['x'])).to.include({ stdout: 'hello x', status: 0 });
    });

    it('builds again when a source has changed', () => {
      launch([]);
      write('bin/cli.ts', "process.stdout.write('changed');\n");
      touchLater('bin/cli.ts');
      expect(launch([])).to.include({ stdout: 'changed', status: 0 });
    });

    it('builds again when a source is gone, and leaves nothing of it', () => {
      write('shared/old.ts', 'export const old = 1;\n');
      launch([]);
      expect(existsSync(join(copy, 'dist/shared/old.js'))).to.equal(true);
      rmSync(join(copy, 'shared/old.ts'));
      touchLater('shared');
      launch([]);
      expect(existsSync(join(copy, 'dist/shared/old.js'))).to.equal(false);
    });

    it('does not run what did not compile', () => {
      write('bin/cli.ts', 'const port = ;\n');
      const { stdout, stderr, status } = launch([]);
      expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
      expect(stderr).to.match(/bin\/cli\.ts.*TS1109.*dropleaf: the build failed/s);
    });
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }

  function writeSources(): void {
    write('bin/cli.ts', sayHello);
    write('api/a.ts', 'export {};\n');
    write('shared/s.ts', 'export {};\n');
  }

  /** Dates a change after the build, also where the clock of the file system is coarse. */
  function touchLater(file: string): void {
    const later = new Date(Date.now() + 2_000);
    utimesSync(join(copy, file), later, later);
  }

  function launch(args: readonly string[], nodeOptions: readonly string[] = []) {
    return spawnSync(process.execPath, [...nodeOptions, join(copy, 'bin/dropleaf.js'), ...args], {
      cwd: tmpdir(),
      encoding: 'utf8',
    });
  }
});
