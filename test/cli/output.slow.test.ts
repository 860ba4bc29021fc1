import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Outcome, watch } from '../bin/command.ts';
import { openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { clientFile, fakeBrowser } from './client.ts';
import { usePublisher } from './publisher.ts';

const fullDevice = '/dev/full';
const unwritten = 'dropleaf: cannot write the output to stdout: ENOSPC: no space left on device, write';

describe('dropleaf with an output that cannot be written', () => {
  const publisher = usePublisher();
  const { client, env, write, publish } = publisher;

  before(function () {
    if (!existsSync(fullDevice)) this.skip();
  });

  /** @param redirection as in `>/dev/full`, of a shell in the folder of the client */
  function runTo(redirection: string, args: readonly string[], changes = {}): Promise<Outcome> {
    const { PATH = '' } = process.env;
    const child = spawn(
      'sh',
      ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, clientFile, ...args],
      {
        cwd: client.dir,
        env: { PATH, HOME: client.dir, ...env(), ...changes },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    return watch(child).ended();
  }

  async function commandsOfHelp(): Promise<string[]> {
    const { stdout } = await client.run(['--help']);
    const [, commands = ''] = /\nCommands:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    return [...commands.matchAll(/^ {2}(\w+)/gm)].map(([, command = '']) => command);
  }

  /** With a token of its own: what the client's token wrote is not new. */
  async function commentOn(slug: string): Promise<{ id: string; url: string }> {
    const { service, owner } = publisher;
    const { token } = await service.newToken(owner);
    const request = { token, body: { text: 'a' } };
    const path = `/api/drops/${slug}/comments`;
    return (await service.request<{ id: string; url: string }>('POST', path, request)).body;
  }

  /** Arguments with which each command prints a result, also a second time. */
  async function everyCommand() {
    write('a.html', '<title>A</title>1');
    const { slug, url } = await publish(['a.html']);
    write('a.html', '<title>A</title>2');
    await publish(['a.html']);
    const comment = await commentOn(slug);
    const { id } = comment;
    const browser = { PATH: fakeBrowser(client.dir).PATH };
    const signedOut = { DROPLEAF_TOKEN: '' };
    const plain: [args: string[], act?: string | undefined, env?: Record<string, string>][] = [
      [['publish', 'a.html', '--force'], url],
      [['publish', '--all', '--yes', '--json']],
      [['list']],
      [['get', slug]],
      [['versions', slug]],
      [['status']],
      [['verify', 'a.html']],
      [['diff', slug, '1', '2']],
      [['views', slug]],
      [['comments', slug]],
      [['reply', id, 'Yes'], comment.url],
      [['resolve', id], `${id} is resolved`],
      [['reopen', id], `${id} is open`],
      [['restore', slug, '1'], url],
      [['lock', slug, '--passcode-file', 'a.html'], url],
      [['unlock', slug], url],
      [['share', slug, 'ada@example.org'], url],
      [['unshare', slug, '--all'], url],
      [['whoami']],
      [['tokens']],
      [['open', slug], undefined, browser],
      [['mcp', '--client', 'cursor']],
      [['skill', 'install', '--dir', 'skills'], 'SKILL.md'],
      [['help']],
      [['publish', '--help']],
      [['--version']],
    ];
    const json = [
      ...plain.slice(0, -3),
      [['shared']] as const,
      [['login', '--no-wait'], undefined, signedOut] as const,
    ];
    return { plain, json: [...json, [['logout'], undefined, signedOut] as const], slug };
  }

  it('exits with 1 and says so in one line, whatever the command, with what was done nevertheless', async function () {
    this.timeout(120_000);
    const { plain, json } = await everyCommand();
    const runs = [
      ...plain,
      ...json.map(([args, act, changes]) => [[...args, '--json'], act, changes] as const),
    ];
    for (const [args, act, changes] of runs) {
      const { stderr, code } = await runTo(`>${fullDevice}`, args, changes);
      expect(code, `${args} ${stderr}`).to.equal(1);
      const lines = stderr.split('\n').filter((line) => line.startsWith('dropleaf:'));
      expect(lines, String(args)).to.have.length(1);
      expect(lines[0]?.startsWith(unwritten), stderr).to.equal(true);
      expect(stderr, String(args))
        .to.contain(act ?? '')
        .and.not.to.contain('    at ');
    }
    const { stderr } = await runTo(`>${fullDevice}`, ['delete', 'a.html', '--yes', '--json']);
    expect(stderr).to.match(/^Deleted http.*\ndropleaf: cannot write/);
    const tried = [...runs.map(([[command]]) => command), 'delete'];
    expect(tried).to.include.members(await commandsOfHelp());
  });

  it('exits with 1 also if stderr cannot be written, or both', async () => {
    const { slug } = await everyCommand();
    for (const redirection of [`2>${fullDevice}`, `>${fullDevice} 2>&1`])
      for (const args of [['publish', 'a.html', '--force'], ['unlock', slug], ['whoam'], ['get', 'none']]) {
        const { code } = await runTo(redirection, args);
        expect(code, `${args} ${redirection}`).to.equal(1);
      }
    const quiet = await runTo(`2>${fullDevice}`, ['whoami']);
    expect(quiet.code, 'nothing was to be said').to.equal(0);
  });

  it('is quiet if the reader of a pipe ends first, and remembers what it has published', async () => {
    const { slug } = await everyCommand();
    write('a.html', '<title>A</title>3');
    for (const args of [
      ['publish', 'a.html'],
      ['publish', 'a.html', '--json'],
      ['list'],
      ['get', slug],
      ['--help'],
    ]) {
      const child = spawn(process.execPath, [clientFile, ...args], {
        cwd: client.dir,
        env: { HOME: client.dir, ...env() },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
      expect(code, stderr).to.equal(0);
      expect(stderr, String(args)).to.not.contain('dropleaf:');
    }
    expect(publisher.remembered('a.html')).to.include({ version: 3 });
  });

  it('writes a large output whole before it ends, to a reader that is late', async () => {
    const html = `<title>Large</title>${'ä'.repeat(900_000)}`;
    write('large.html', html);
    const { slug } = await publish(['large.html']);
    for (const args of [
      ['get', slug],
      ['get', slug, '--json'],
    ]) {
      const child = spawn(process.execPath, [clientFile, ...args], {
        cwd: client.dir,
        env: { HOME: client.dir, ...env() },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stdout = '';
      for await (const chunk of child.stdout.setEncoding('utf8')) {
        for (let turn = 0; turn < 50; turn++) await nextTurn();
        stdout += chunk;
      }
      expect(args.length === 3 ? JSON.parse(stdout).html : stdout).to.equal(html);
    }
  });

  it('publish --watch and comments --follow end when nobody reads them any more', async () => {
    const { slug } = await everyCommand();
    for (const args of [
      ['publish', 'a.html', '--watch', '--json', '--force'],
      ['comments', slug, '--follow'],
    ]) {
      const child = spawn(process.execPath, [clientFile, ...args], {
        cwd: client.dir,
        env: { HOME: client.dir, ...env() },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      await once(child.stdout, 'data');
      child.stdout.destroy();
      const ended = once(child, 'exit');
      write('a.html', `<title>A</title>${args}`);
      await commentOn(slug);
      const [stderr, [code]] = await Promise.all([readAll(child.stderr), ended]);
      expect(code, stderr).to.equal(0);
    }
  });

  it('comments --wait prints again what could not be printed', async () => {
    const { slug } = await everyCommand();
    expect((await runTo(`>${fullDevice}`, ['comments', 'a.html', '--wait'])).code).to.equal(1);
    const { stdout } = await client.run(['comments', 'a.html', '--wait'], { env: env() });
    expect(stdout).to.contain(slug);
  });

  describe('on a full disk', () => {
    let disk: SmallDisk;
    before(async function () {
      disk = await openSmallDisk(this, 1);
    });
    after(() => disk?.close());

    it('exits with 1, and leaves no half file in place of a whole one', async () => {
      write('large.html', `<title>Large</title>${'x'.repeat(1_900_000)}`);
      const { slug } = await publish(['large.html']);
      const out = disk.pathOf('o.html');
      const cut = await runTo(`>'${out}'`, ['get', slug]);
      expect(cut).to.include({ code: 1, stderr: `${unwritten}\n` });
      rmSync(out);
      const noSpace = `dropleaf: cannot write ${out}: there is no space left on its disk\n`;
      expect(await runTo('', ['get', slug, '-o', out])).to.include({ code: 1, stderr: noSpace });
      expect(existsSync(out)).to.equal(false);
      writeFileSync(out, 'whole');
      expect(await runTo('', ['get', slug, '-o', out, '--force'])).to.include({ code: 1, stderr: noSpace });
      expect(readFileSync(out, 'utf8')).to.equal('whole');
      expect(readdirSync(disk.pathOf(''))).to.deep.equal(['o.html']);
    });

    it('stores no sign-in, and installs no half skill', async () => {
      disk.fill();
      const config = { XDG_CONFIG_HOME: disk.pathOf('config'), DROPLEAF_TOKEN: '' };
      const login = await runTo('', ['login', '--no-wait'], config);
      expect(login.code, login.stderr).to.equal(1);
      expect(login.stderr).to.match(/^dropleaf: cannot write \S+: there is no space left on its disk\n$/);
      const skill = await runTo('', ['skill', 'install', '--dir', disk.pathOf('skills')]);
      expect(skill.code, skill.stderr).to.equal(1);
      expect(existsSync(join(disk.pathOf('skills'), 'dropleaf', 'SKILL.md'))).to.equal(false);
      disk.free();
    });

    it('publish says which address it has, if it cannot remember it', async () => {
      writeFileSync(disk.pathOf('p.html'), '<title>P</title>');
      disk.fill();
      const { stdout, stderr, code } = await runTo('', ['publish', disk.pathOf('p.html')]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^http\S+\n$/);
      expect(stderr).to.match(
        /warning: cannot write \S+: there is no space left on its disk\. .* --slug \S+/,
      );
      disk.free();
      expect(readdirSync(disk.pathOf('')).filter((name) => name.includes('.dropleaf'))).to.deep.equal([]);
    });
  });
});
