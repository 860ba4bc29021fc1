import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import type { ClientHome } from '../cli/client.ts';

const page = (number: number) => `<!doctype html><title>Report</title><h1>Visits</h1>
<p>Visits rose by ${number} percent in May, which is more than anybody had planned.</p>`;

export interface Round {
  readonly client: ClientHome;
  /** Where the agent publishes and waits. */
  readonly agentUrl: string;
  readonly token: string;
  /** Where the reader reads. */
  readonly readerUrl: string;
  /** A browser that is signed in as another account. */
  readonly reader: BrowserContext;
}

/**
 * An agent publishes; a reader comments on a phrase; the waiting agent gets it, and publishes the version that resolves it; the
 * reader sees the reply and the new version. @returns ms from the press on Send to the end of the agent's client
 */
export async function playRound({ client, agentUrl, token, readerUrl, reader }: Round): Promise<number> {
  const env = { DROPLEAF_URL: agentUrl, DROPLEAF_TOKEN: token };
  const file = join(client.dir, 'report.html');
  const run = async (...args: string[]) => {
    const outcome = await client.run(args, { env });
    expect(outcome.code, outcome.stderr).to.equal(0);
    return outcome.stdout;
  };
  writeFileSync(file, page(42));
  const { slug } = JSON.parse(await run('publish', 'report.html', '--comments', 'members', '--json'));

  const viewer = await reader.newPage();
  await viewer.goto(`${readerUrl}/p/${slug}`);
  await viewer.getByRole('button', { name: 'Comments' }).click();
  const panel = viewer.frameLocator('iframe.comments-panel');
  const form = panel.locator('.new-comment');
  await form.waitFor();
  const frame = await (await viewer.waitForSelector('main iframe')).contentFrame();
  if (frame === null) throw new Error('the frame holds no page');
  await frame.waitForSelector('p');
  await viewer.mouse.move(200, 200);
  await frame.locator('h1').click();
  await frame.evaluate(`(() => {
    const node = document.querySelector('p').firstChild;
    const from = node.data.indexOf('42 percent');
    getSelection().setBaseAndExtent(node, from, node, from + '42 percent'.length);
  })()`);
  await form.locator('.quote', { hasText: '42 percent' }).waitFor();
  await form.getByLabel('New comment').fill('It was 43');

  const waiting = client.start(['comments', 'report.html', '--wait', '--json'], { env });
  await viewer.waitForTimeout(1_500); // the client has started, and its request waits
  const sentAt = performance.now();
  await form.getByRole('button', { name: 'Send' }).click();
  const { stdout, code, stderr } = await waiting.ended();
  const ms = performance.now() - sentAt;
  expect(code, stderr).to.equal(0);
  const [comment] = JSON.parse(stdout).data;
  expect(comment).to.deep.include({ text: 'It was 43', version: 1, state: 'open' });
  expect(comment.anchor.quote).to.equal('42 percent');
  expect(comment.author.role).to.equal('member');

  writeFileSync(file, page(43));
  await run('publish', 'report.html', '--resolves', comment.id, '--reply', 'Thank you: 43 it is');
  await viewer.getByText('Version 2 is available').waitFor({ timeout: 40_000 });
  await viewer.getByRole('button', { name: 'Show version 2' }).click();
  const next = viewer.frameLocator('main iframe').getByText('rose by 43 percent');
  await next.waitFor();
  await viewer.getByRole('button', { name: '1 answer' }).click();
  await panel.getByRole('link', { name: 'Resolved 1' }).click();
  const thread = panel.locator('.thread', { hasText: 'It was 43' });
  await thread.getByText('Thank you: 43 it is').waitFor();
  expect(await thread.innerText()).to.include('Resolved with version 2');
  expect(readFileSync(file, 'utf8')).to.equal(page(43));
  return ms;
}
