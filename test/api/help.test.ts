import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { parsePage } from '../support/html.ts';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';

describe('GET /help', () => {
  const service = useService({ SECURITY_CONTACT: 'mailto:safe@drops.example, https://drops.example/report' });

  it('answers viewers and owners in plain words, names the contacts, and each of its links works', async () => {
    const answer = await service.view('/help');
    expect(answer.status).to.equal(200);
    const page = parsePage(answer.text);
    const text = page.find('main')?.text ?? '';
    for (const words of ['I was sent a page', 'Report this page', 'Publish a page', 'safe@drops.example'])
      expect(text).to.include(words);
    expect(page.all('h2')[0]?.text).to.equal('I was sent a page');
    expect(page.all('strong')[0]?.text).to.equal('What is it, and who made it?');
    expect(text).to.not.match(/\*\*|\]\(/);
    const person = await openDashboard(service);
    for (const { attributes } of page.all('a')) {
      const { href = '' } = attributes;
      if (href.startsWith('#'))
        expect(page.find('section', { id: href.slice(1) }), href).to.not.equal(undefined);
      else if (href.startsWith('/'))
        expect((await person.get(href.split('#')[0] ?? '')).status, href).to.be.oneOf([200, 303]);
      else if (!href.startsWith(`${service.url}/`))
        expect(href).to.be.oneOf(['mailto:safe@drops.example', 'https://drops.example/report']);
    }
  });

  it('is linked from pages for viewers and owners, and each named part of it exists', async () => {
    const { owner, slug } = await service.newDrop();
    const locked = await owner.create({ passcode: 'open-sesame' });
    const help = parsePage((await service.view('/help')).text);
    for (const path of [
      '/',
      '/docs',
      `/p/${slug}`,
      `/p/${locked.slug}`,
      '/p/nothing-here',
      `/report/${slug}`,
    ]) {
      const links = parsePage((await createPerson(service).get(path)).text).all('a');
      const hrefs = links
        .map(({ attributes }) => attributes.href ?? '')
        .filter((href) => /\/help(#|$)/.test(href));
      expect(hrefs, path).to.not.deep.equal([]);
      for (const id of hrefs.flatMap((href) => href.split('#').slice(1)))
        expect(help.find('section', { id }), id).to.not.equal(undefined);
    }
    const dashboard = await (await openDashboard(service)).get('/account');
    expect(
      parsePage(dashboard.text)
        .all('a')
        .map(({ attributes }) => attributes.href),
    ).to.include(`${service.url}/help`);
  });

  it('without a contact names none', async () => {
    await service.restart({ SECURITY_CONTACT: '' });
    const { text } = await service.view('/help');
    expect(text).to.not.include('mailto:').and.not.include('security.txt');
  });
});
