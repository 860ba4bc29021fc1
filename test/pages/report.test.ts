import { expect } from 'chai';
import { reportedPage, reportPage } from '../../api/reports/page.ts';
import { parsePage } from '../support/html.ts';

const parts = {
  url: 'https://drops.example/p/abc',
  action: '/report/abc?v=2',
  id: 'Abcdefgh01234567',
  maxCharacters: 2_000,
  contactMaxCharacters: 200,
};
const fault = (field: string, code = 'invalid_arg', details: object = {}) => ({
  ...{ reason: 'other', text: 'What I saw', contact: 'me' },
  envelope: { error: { code, message: 'What the server says.', details: { field, ...details } } },
});

describe('reportPage', () => {
  it('posts to the address it stands for, the version included, and names the page by its address', () => {
    const page = parsePage(reportPage(parts).html);
    expect(page.find('form')?.attributes).to.include({ method: 'post', action: '/report/abc?v=2' });
    expect(page.find('input', { name: 'id' })?.attributes).to.include({ type: 'hidden', value: parts.id });
    expect(page.find('code')?.text).to.equal('https://drops.example/p/abc');
    expect(page.find('p', { id: 'fault' })).to.equal(undefined);
    expect(page.all('script')).to.deep.equal([]);
  });

  it('every field has a label, and the reasons a legend', () => {
    const page = parsePage(reportPage(parts).html);
    for (const { attributes } of [...page.all('textarea'), ...page.all('input')]) {
      if (attributes.type === 'hidden') continue;
      if (attributes.type === 'radio') continue;
      expect(page.find('label', { for: attributes.id ?? '' }), attributes.name).to.not.equal(undefined);
    }
    for (const { inside } of page.all('input').filter(({ attributes }) => attributes.type === 'radio')) {
      expect(inside).to.include.members(['fieldset', 'label']);
    }
    expect(page.find('legend')?.text).to.equal('What is wrong with it?');
  });

  for (const [field, element] of [
    ['text', 'textarea'],
    ['contact', 'input'],
  ] as const) {
    it(`says what is wrong with the ${field}, and ties that to the field`, () => {
      const page = parsePage(reportPage({ ...parts, filled: fault(field) }).html);
      expect(page.find('p', { id: 'fault' })?.text).to.equal('What the server says.');
      const attributes = page.find(element, { name: field })?.attributes ?? {};
      expect(attributes['aria-invalid']).to.equal('true');
      expect(attributes['aria-describedby']?.split(' ')).to.deep.equal(['fault', `${field}-hint`]);
      expect(page.find('input', { value: 'other' })?.attributes).to.have.property('checked');
      expect(JSON.parse(page.find('script')?.text ?? '')).to.deep.equal(fault(field).envelope);
    });
  }

  it('says how long to wait after too many', () => {
    const filled = fault('', 'rate_limited', { retry_after_seconds: 1_800 });
    const page = parsePage(reportPage({ ...parts, filled }).html);
    expect(page.find('p', { id: 'fault' })?.text).to.contain('Wait 30 minutes, then');
  });

  it('text that begins with a line end comes back as it was', () => {
    const filled = { ...fault('contact'), text: '\n\nsecond' };
    expect(parsePage(reportPage({ ...parts, filled }).html).find('textarea')?.text).to.equal('\n\nsecond');
  });

  it('all its pages have no script and no foreign source, and are not for search engines', () => {
    for (const { html, csp } of [reportPage(parts), reportedPage(true), reportedPage(false)]) {
      expect(csp).to.match(/default-src 'none'/);
      expect(csp).to.match(/frame-ancestors 'none'/);
      expect(parsePage(html).find('meta', { name: 'robots' })?.attributes.content).to.match(/noindex/);
      expect(parsePage(html).all('h1')).to.have.length(1);
    }
  });
});
