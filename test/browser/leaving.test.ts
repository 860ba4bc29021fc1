import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startGitHubDouble } from '../support/github-double.ts';
import { useServiceBeside } from '../support/service.ts';
import { clickApprove, describeInBrowsers, watchPage } from './browser.ts';

describeInBrowsers('Sign-in at the identity provider', (browser) => {
  const [service, double] = useServiceBeside(startGitHubDouble);

  for (const hasScript of [true, false]) {
    it(`follows the redirects of the provider over another site and back, ${hasScript ? 'with' : 'without'} scripts`, async () => {
      const page = await (await browser.newContext({ javaScriptEnabled: hasScript })).newPage();
      // As with SAML: the provider redirects to a site of its own choice, which redirects back.
      const hop = createServer((req, res) => {
        const back = new URL(req.url ?? '', 'http://127.0.0.1').searchParams.get('back') ?? '';
        res.writeHead(302, { location: back }).end();
      }).listen(0, 'localhost');
      await once(hop, 'listening');
      const hopUrl = `http://localhost:${(hop.address() as AddressInfo).port}`; // proof: it listens on a port
      const { faults } = watchPage(page, 'http://');
      let hops = 0;
      await page.route(`${double.url}/login/oauth/authorize**`, async (route) => {
        if (hops++ > 0) return route.continue();
        const location = `${hopUrl}/?back=${encodeURIComponent(route.request().url())}`;
        await route.fulfill({ status: 302, headers: { location } });
      });
      const { body } = await service.request('POST', '/api/auth/start');
      await page.goto(`${service.url}/sign-in?code=${body.code}`);
      await page.getByRole('button').click();
      await page.getByRole('heading', { name: 'Allow this device to publish as you?' }).waitFor();
      expect(await page.locator('main').innerText()).to.include('octocat');
      await clickApprove(page);
      await page.getByRole('heading', { name: 'Approved' }).waitFor();
      expect((await service.get(`/api/auth/poll?token=${body.poll_token}`)).body.status).to.equal('verified');
      expect(faults).to.deep.equal([]);
      await page.context().close();
      hop.close();
    });
  }
});
