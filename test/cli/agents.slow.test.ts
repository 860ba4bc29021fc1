import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { useServer } from '../support/listen.ts';
import { useService } from '../support/service.ts';
import { useClient } from './client.ts';
import { runInTerminal } from './terminal.ts';

const url = 'https://drops.example';
const mcpUrl = `${url}/mcp`;
const token = 'dl_secret';

describe('dropleaf mcp', () => {
  const client = useClient();
  const setUp = (name: string, ...args: string[]) =>
    client.run(['mcp', '--client', name, '--url', url, ...args], { env: { DROPLEAF_TOKEN: token } });

  it('prints a command, JSON or TOML that takes the token from the environment, or asks for it', async () => {
    const { stdout, stderr, code } = await setUp('claude-code');
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      `claude mcp add --transport http --scope user dropleaf ${mcpUrl} --header "Authorization: Bearer $DROPLEAF_TOKEN"\n`,
    );
    expect(stderr).to.contain('Run this in a shell:').and.to.contain('--show-token');
    expect(JSON.parse((await setUp('cursor')).stdout)).to.deep.equal({
      mcpServers: { dropleaf: { url: mcpUrl, headers: { Authorization: `Bearer \${env:DROPLEAF_TOKEN}` } } },
    });
    const { servers, inputs } = JSON.parse((await setUp('vscode')).stdout);
    expect(servers.dropleaf).to.include({ type: 'http', url: mcpUrl });
    expect(servers.dropleaf.headers.Authorization).to.equal(`Bearer \${input:${inputs[0].id}}`);
    expect(inputs[0].password).to.equal(true);
    expect((await setUp('codex')).stdout).to.equal(
      `[mcp_servers.dropleaf]\nurl = "${mcpUrl}"\nbearer_token_env_var = "DROPLEAF_TOKEN"\n`,
    );
  });

  it('shows the token with --show-token alone', async () => {
    for (const name of ['claude-code', 'cursor', 'codex', 'vscode']) {
      const without = await setUp(name);
      expect(without.stdout + without.stderr).to.not.contain(token);
      const { stdout, stderr } = await setUp(name, '--show-token');
      expect(stdout).to.contain(token);
      expect(stderr).to.contain('the output contains your token').and.not.to.contain(token);
    }
  });

  it('exits with 4 if there is no token to show, and with 2 for an unknown client', async () => {
    await client.fails(4, ['mcp', '--client', 'cursor', '--show-token', '--url', url], []);
    const choices = 'Allowed choices are claude-code, cursor, codex, vscode';
    await client.fails(2, ['mcp', '--client', 'emacs', '--url', url], [choices]);
  });
});

describe('dropleaf skill install', () => {
  const service = useService();
  const client = useClient();
  const content = '---\nname: dropleaf\ndescription: Publishes pages\n---\n';
  const entry = {
    name: 'dropleaf',
    type: 'skill-md',
    description: 'Publishes pages',
    url: '/skill/SKILL.md',
    digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  };
  let skills: object[];
  const server = useServer((req, res) => {
    if (req.url === '/skill/SKILL.md') res.end(content);
    else res.setHeader('content-type', 'application/json').end(JSON.stringify({ skills }));
  });
  beforeEach(() => {
    skills = [entry];
  });

  const installArgs = (...args: string[]) => ['skill', 'install', '--url', server.url, ...args];
  const install = (...args: string[]) => client.run(installArgs(...args));
  const file = () => join(client.dir, 'skills', 'dropleaf', 'SKILL.md');

  it('installs the skill that the service offers', async () => {
    const { stderr, code } = await client.run(['skill', 'install', '--dir', 'skills', '--url', service.url]);
    expect(code, stderr).to.equal(0);
    expect(readFileSync(file(), 'utf8'))
      .to.match(/^---\nname: dropleaf\n/)
      .and.to.contain(service.url);
  });

  it('writes the skill and prints its path; again it changes nothing', async () => {
    const installed = { stdout: `${file()}\n`, stderr: 'Installed dropleaf:\n', code: 0 };
    expect(await install('--dir', 'skills')).to.deep.equal(installed);
    expect(readFileSync(file(), 'utf8')).to.equal(content);
    expect(readdirSync(dirname(file()))).to.deep.equal(['SKILL.md']);
    expect((await install('--dir', 'skills')).stderr).to.equal('dropleaf is installed already:\n');
  });

  it('--dir may begin with ~', async () => {
    await install('--dir=~/.claude/skills');
    expect(existsSync(join(client.dir, '.claude', 'skills', 'dropleaf', 'SKILL.md'))).to.equal(true);
  });

  it('never overwrites another file', async () => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), 'mine');
    const message = `${file()} exists with another content: remove it to install this skill`;
    await client.fails(1, installArgs('--dir', 'skills'), [message]);
    expect(readFileSync(file(), 'utf8')).to.equal('mine');
    expect(readdirSync(dirname(file()))).to.deep.equal(['SKILL.md']);
  });

  it('without a terminal and --dir names the folders, and exits with 2', async () => {
    const choice = `--dir ${join(client.dir, '.claude', 'skills')}  (Claude Code, in all projects)`;
    await client.fails(2, installArgs(), [choice]);
    expect(readdirSync(client.dir)).to.deep.equal([]);
  });

  it('on a terminal asks for the folder', async function () {
    const run = runInTerminal(this, client, installArgs(), {});
    await run.answer('or a folder: ', '2\r');
    expect(await run.ended(), run.output()).to.equal(0);
    expect(existsSync(join(client.dir, '.claude', 'skills', 'dropleaf', 'SKILL.md'))).to.equal(true);
  });

  it('on a terminal exits with 2 if no folder is chosen, with 1 on Ctrl+D, and with 130 on Ctrl+C', async function () {
    for (const [text, code] of [
      ['\r', 2],
      ['5\r', 2],
      ['\u0004', 1],
      ['\u0003', 130],
    ] as const) {
      const run = runInTerminal(this, client, installArgs(), {});
      await run.answer('or a folder: ', text);
      expect(await run.ended(), run.output()).to.equal(code);
    }
    expect(readdirSync(client.dir)).to.deep.equal([]);
  });

  const refused: [what: string, change: object, message: string][] = [
    ['a wrong digest', { digest: `sha256:${'0'.repeat(64)}` }, 'is not what its digest says'],
    ['a name that leaves the folder', { name: '../../evil' }, 'without a valid name'],
    ['another host', { url: 'https://evil.example/SKILL.md' }, 'is on another host: https://evil.example'],
    ['another type alone', { type: 'archive' }, 'offers no skill'],
  ];
  for (const [what, change, message] of refused) {
    it(`installs nothing from an index with ${what}`, async () => {
      skills = [{ ...entry, ...change }];
      await client.fails(1, installArgs('--dir', 'skills'), [message]);
      expect(readdirSync(client.dir)).to.deep.equal([]);
    });
  }
});
