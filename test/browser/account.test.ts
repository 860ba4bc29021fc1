import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';
import { describeInBrowsers, follow, openSignedIn, overflowOf, tabTo, widths } from './browser.ts';

describeInBrowsers('The account page', (browser) => {
  const service = useService(noLimits);

  async function openAccount(options: BrowserContextOptions) {
    const me = await openDashboard(service);
    const onPhone = { ...options, viewport: widths.phone };
    const { page, faults } = await openSignedIn(browser, me, service.url, '/account', onPhone);
    expect(await overflowOf(page)).to.equal(0);
    return { me, page, faults };
  }

  it(`a token is created, renamed and revoked, and the account deleted: by keyboard, ${browser.withLeastScripts}`, async () => {
    const { me, page, faults } = await openAccount(browser.leastScripts);
    const { slug } = await me.owner.create();
    const shows = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
    await tabTo(page, 'Label');
    await page.keyboard.type('Backup script');
    await follow(page, 'Create token');
    const token = await page.locator('#token').innerText();
    expect(page.url(), 'the address').to.not.include('dl_');
    expect((await service.get('/api/me', { token })).body.token?.label).to.equal('Backup script');
    await follow(page, 'Done');
    await shows('Tokens');

    await page.getByRole('row').filter({ hasText: 'Backup script' }).waitFor();
    await follow(page, 'Rename or revoke Backup script');
    await shows('Rename');
    await tabTo(page, 'Label');
    await page.keyboard.type('Old script'); // Tab has selected the text
    await follow(page, 'Save');
    await page.getByRole('status').filter({ hasText: 'new label' }).waitFor();
    await follow(page, 'Rename or revoke Old script');
    await shows('Rename');
    await follow(page, 'Revoke token');
    await page.getByRole('status').filter({ hasText: 'is revoked' }).waitFor();
    expect((await service.get('/api/me', { token })).status).to.equal(401);

    await follow(page, 'Delete the account…');
    await shows('Delete the account?');
    await tabTo(page, 'To confirm');
    await page.keyboard.type(me.owner.name);
    await tabTo(page, 'Delete the account and all drops');
    await page.keyboard.press('Enter'); // the answer is shown in place
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
    expect((await service.get(`/p/${slug}`)).status).to.equal(404);
    await page.goto(`${service.url}/account`);
    expect(page.url()).to.include('/sign-in/browser');
    expect(faults).to.deep.equal([]);
  });

  it('a double click on the button creates one token', async () => {
    const { me, page } = await openAccount({});
    const count = async () => (await me.owner.get<WireToken[]>('/api/tokens')).body.length;
    const before = await count();
    await page.getByRole('button', { name: 'Create token' }).dblclick();
    await page.getByRole('heading', { name: 'Your new token' }).waitFor();
    expect(await count()).to.equal(before + 1);
  });

  it('with scripts a new token can be copied, and the export is a download', async () => {
    const { me, page, faults } = await openAccount({ permissions: ['clipboard-read', 'clipboard-write'] });
    await me.owner.create();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).to.equal(await page.locator('#token').innerText());
    await page.goto(`${service.url}/account`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download everything' }).click();
    expect((await downloading).suggestedFilename()).to.match(/^Dropleaf owner-\d+ [\d-]{10}\.zip$/);
    expect(faults).to.deep.equal([]);
  });
});
