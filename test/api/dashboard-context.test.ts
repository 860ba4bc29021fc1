import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';

describe('The context of a drop in the dashboard', () => {
  const service = useService();

  async function scene(fields: object = {}) {
    const ada = await openDashboard(service);
    const { slug } = await ada.owner.create({ title: 'Orders', html: '<p>é', ...fields });
    const path = `/drops/${slug}`;
    return {
      ada,
      slug,
      path,
      form: () => ada.open(`${path}/context`),
      latest: async () => {
        const { latest_version: n } = (await ada.owner.get(`/api/drops/${slug}`)).body;
        return (await ada.owner.get(`/api/drops/${slug}/v/${n}`)).body;
      },
    };
  }

  it('is written: a version with the same HTML and the text; the page says which, and the viewer shows it', async () => {
    const { ada, slug, path, form, latest } = await scene({
      metadata: { team: 'north' },
      description: 'By day',
    });
    const opened = await form();
    expect(opened.text).to.include('this publishes version 2 with the HTML of version 1');
    const saved = await ada.submit(opened, { context: '# Why\r\n\r\n**returns** & <b>x</b>' });
    expect(saved.path).to.equal(`${path}?notice=context`);
    expect(saved.text).to.include(
      'Version 2 is published at the same address, with the context that you wrote.',
    );
    expect(await latest()).to.include({ version: 2, context: '# Why\n\n**returns** & <b>x</b>' });
    expect((await ada.owner.get(`/api/drops/${slug}/html`)).text).to.equal('<p>é');
    const { body } = await ada.owner.get(`/api/drops/${slug}`);
    expect(body).to.deep.include({ title: 'Orders', description: 'By day', metadata: { team: 'north' } });
    expect((await service.view(`/p/${slug}`)).text).to.include('<strong>returns</strong>');
  });

  it('is edited from what the latest version has; an empty one is none', async () => {
    const { ada, form, latest } = await scene({ context: '\nBecause\n' });
    const opened = await form();
    expect(opened.page.find('textarea', { id: 'context' })?.text).to.equal('\nBecause\n');
    await ada.submit(opened, { context: '' });
    expect(await latest()).to.include({ version: 2, context: null });
  });

  it('preview: sanitized, with what was typed, and nothing is published', async () => {
    const { ada, form, latest } = await scene();
    const context = '**bold** <script>alert(1)</script> [x](javascript:alert(1))';
    const shown = await ada.submit(await form(), { context, action: 'preview' });
    expect(shown.status).to.equal(200);
    expect(shown.page.find('strong')?.text).to.equal('bold');
    expect(shown.answer.text).to.not.match(/<script>alert|href="javascript/);
    expect(shown.page.find('textarea', { id: 'context' })?.text).to.equal(context);
    expect(await latest()).to.include({ version: 1, context: null });
  });

  it('the same form sent twice publishes once; after another version 412 keeps the text and says what is live', async () => {
    const { ada, slug, path, form, latest } = await scene();
    const opened = await form();
    for (const _ of [1, 2])
      expect((await ada.submit(opened, { context: 'Once' })).path).to.equal(`${path}?notice=context`);
    expect(await latest()).to.include({ version: 2, context: 'Once' });

    await ada.owner.put(slug, { html: '<p>three' });
    const refused = await ada.submit(opened, { context: 'Late' });
    expect(refused.status).to.equal(412);
    expect(refused.text)
      .to.include('version 3 is live now')
      .and.include('publishes version 4 with the HTML of version 3');
    expect(refused.page.find('textarea', { id: 'context' })?.text).to.equal('Late');
    await ada.submit(refused, {});
    expect(await latest()).to.include({ version: 4, context: 'Late' });
    expect((await ada.owner.get(`/api/drops/${slug}/html`)).text).to.equal('<p>three');
  });

  it('of a drop that was taken down the form leads back, and publishes nothing', async () => {
    const { ada, slug, path, form, latest } = await scene();
    const opened = await form();
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'Imitates a bank' });
    expect((await form()).path).to.equal(path);
    expect((await ada.submit(opened, { context: 'x' })).status).to.equal(403);
    expect(await latest()).to.include({ version: 1 });
  });
});
