import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir, requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('the npm package dropleaf', () => {
  let folder: string;
  let unpacked: string;

  before(function () {
    requireProgram(this, 'npm');
    const copy = makeTempDir(); // without a compiler, so that packing changes nothing that other tests use
    for (const path of ['cli', 'scripts', 'package.json', 'dist/bin/cli.js', 'dist/cli/cli.mjs']) {
      cpSync(join(projectDir, path), join(copy, path), { recursive: true });
    }
    folder = join(copy, 'cli');
    const target = makeTempDir();
    const args = ['pack', '--json', '--loglevel=error', '--pack-destination', target];
    const packed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
    const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('['))); // after what the scripts printed
    execFileSync('tar', ['-xzf', join(target, filename), '-C', target]);
    unpacked = join(target, 'package');
  });

  it('contains what it needs and nothing else, and packing leaves no file', () => {
    const files = execFileSync('find', ['.', '-type', 'f'], { cwd: unpacked, encoding: 'utf8' });
    expect(files.trim().split('\n').sort()).to.deep.equal([
      './LICENSE',
      './README.md',
      './dropleaf.mjs',
      './package.json',
    ]);
    expect(existsSync(join(folder, 'dropleaf.mjs'))).to.equal(false);
  });

  it('has no dependencies, and runs', () => {
    const { dependencies, version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    expect(dependencies).to.equal(undefined);
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [join(unpacked, 'dropleaf.mjs'), ...args], { encoding: 'utf8' });
    expect(run('--version')).to.equal(`${version}\n`);
    expect(run('--help')).to.match(/^Usage: dropleaf \[options\]/);
  });
});
