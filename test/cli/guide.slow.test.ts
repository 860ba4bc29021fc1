import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectDir, requireProgram } from '../support/programs.ts';
import { useService } from '../support/service.ts';
import type { WireDrop } from '../support/wire.ts';
import { useClient } from './client.ts';

const guide = readFileSync(join(projectDir, 'docs', 'agents.md'), 'utf8');

/** The first block of code in that language after a text of the guide, for this service. */
function codeAfter(text: string, language: string, url: string): string {
  const rest = guide.slice(guide.indexOf(text));
  const code = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(rest)?.[1];
  if (!guide.includes(text) || code === undefined)
    throw new Error(`The guide has no ${language} after "${text}"`);
  return code.replaceAll('https://drops.example', url);
}

describe('docs/agents.md: its examples publish as they stand', () => {
  const service = useService();
  const home = useClient();
  const page = '<!doctype html><title>Report</title><h1>Numbers</h1>';

  async function run(program: string, args: readonly string[]): Promise<string> {
    const { token } = await service.newOwner();
    writeFileSync(join(home.dir, 'report.html'), page);
    const env = { PATH: process.env.PATH, HOME: home.dir, DROPLEAF_TOKEN: token };
    return (await promisify(execFile)(program, args, { cwd: home.dir, env })).stdout;
  }

  async function expectPage(url: string): Promise<void> {
    const raw = await service.get(`${new URL(url).pathname}/raw`);
    expect(raw.text).to.contain('<h1>Numbers</h1>');
  }

  it('the client', async function () {
    requireProgram(this, 'curl');
    const commands = codeAfter('## The client', 'sh', service.config.BASE_URL).replace(/^.* login\n/m, '');
    await expectPage((await run('sh', ['-ec', commands])).trim());
  });

  it('the shell', async function () {
    requireProgram(this, 'curl');
    const command = codeAfter('**Shell.**', 'sh', service.config.BASE_URL);
    const drop = JSON.parse(await run('sh', ['-ec', command])) as WireDrop; // expectPage checks
    expect(drop.title).to.equal('Report');
    await expectPage(drop.url);
  });

  it('Python', async function () {
    requireProgram(this, 'python3');
    const program = codeAfter('**Python**', 'python', service.config.BASE_URL);
    await expectPage((await run('python3', ['-c', program])).trim());
  });

  it('the upload address, whose curl line works without a token', async function () {
    requireProgram(this, 'curl');
    const command = codeAfter('**One-time upload addresses.**', 'sh', service.config.BASE_URL);
    const { upload_url } = JSON.parse(await run('sh', ['-ec', command])) as { upload_url: string }; // checked by its use
    const args = ['-fsS', '-T', join(home.dir, 'report.html'), upload_url];
    const { stdout } = await promisify(execFile)('curl', args);
    await expectPage((JSON.parse(stdout) as WireDrop).url); // proof: expectPage fails for another answer
  });
});
