import { expect } from 'chai';
import { aReport } from '../contract/records.ts';
import { openDashboard, openOperators } from '../support/dashboard.ts';
import { type Owner, useService } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';
import { clickApprove, openSignedIn, useBrowser } from './browser.ts';
import { createInspector } from './inspect.ts';

const cap = 70;
const labels = ['laptop', `A label that is long ${'x'.repeat(79)}`, '\u202e<b>turned'];

describe('An account with the maximum of tokens, in Chromium', function () {
  this.timeout(400_000);
  const browser = useBrowser();
  const service = useService({
    TOKENS_PER_ACCOUNT: String(cap),
    REPORTS_OPEN_MAX: '2',
    REPORTS_OPEN_PER_DROP: '1',
  });

  async function fill(owner: Owner): Promise<void> {
    for (let n = 1; n < cap; n++) await service.newToken(owner, labels[n % labels.length]);
  }

  it('the page that approves a code revokes a token without scripts, and then approves', async () => {
    const person = await openDashboard(service);
    await fill(person.owner);
    const { code } = (await service.request('POST', '/api/auth/start', { body: { label: 'CLI' } })).body;
    const { page, faults } = await openSignedIn(browser, person, service.url, `/sign-in?code=${code}`, {
      javaScriptEnabled: false,
    });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your account has the maximum of tokens').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    await page.getByRole('radio').nth(2).check();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The token is revoked').waitFor();
    await clickApprove(page);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect((await person.owner.get<WireToken[]>('/api/tokens')).body).to.have.length(cap - 1);
    expect(faults).to.deep.equal([]);
  });

  it('its pages are accessible, have valid markup and fit each width, light and dark', async () => {
    const [operator, person] = await openOperators(service);
    await fill(person.owner);
    const { code } = (await service.request('POST', '/api/auth/start', { body: { label: 'CLI' } })).body;
    const { page } = await openSignedIn(browser, person, service.url, `/sign-in?code=${code}`);
    const { inspect } = createInspector(page, service.url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('maximum of tokens').waitFor();
    await inspect('tokens-approve-full');
    await page.goto(`${service.url}/account`);
    await inspect('tokens-account');
    await page.getByRole('link', { name: 'Older' }).click();
    await inspect('tokens-account-older');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('revoke one first').waitFor();
    await inspect('tokens-account-refused');

    const { reports } = service.services.engine;
    for (const dropId of ['d1', 'd2'])
      await reports.insert(aReport({ dropId, slug: dropId, createdAt: service.clock.now() }), 9, 9);
    const seen = await openSignedIn(browser, operator, service.url, '/operators');
    const { inspect: inspectSeen } = createInspector(seen.page, service.url);
    await seen.page.goto(`${service.url}/operators`);
    await inspectSeen('tokens-operators-full');
    await seen.page.goto(`${service.url}/operators/pages/d1`);
    await inspectSeen('tokens-operators-page');
    await seen.page.goto(`${service.url}/operators/accounts/${person.owner.userId}`);
    await inspectSeen('tokens-operators-account');
  });
});
