import { expect } from 'chai';
import { presentError } from '../../api/http/http-error.ts';
import { passcodePage } from '../../api/pages/passcode-page.ts';
import { reportFormPage, reportSentPage } from '../../api/reports/reports.ts';
import { type Code, DropError } from '../../shared/domain/errors.ts';
import { parsePage } from '../support/html.ts';
import { pageOf } from '../support/layout.ts';

const failure = (code: Code, details: object = {}) =>
  new DropError(code, 'The message of the error.', { ...details });

const place = { baseUrl: 'https://drops.example', slug: 'abc' };

describe('passcodePage', () => {
  it('posts the passcode to the address of the page, with its version', () => {
    const page = parsePage(pageOf(passcodePage({ action: '/p/abc?v=2', ...place })).html);
    expect(page.find('form')?.attributes).to.include({ method: 'post', action: '/p/abc?v=2' });
    const input = page.find('input')?.attributes;
    expect(input).to.include({ name: 'passcode', type: 'password', autocomplete: 'off', required: '' });
    expect(page.find('label', { for: input?.id ?? '' })?.text).to.equal('Passcode');
    expect(page.find('p', { id: 'fault' })).to.equal(undefined);
  });

  it('links the error message to the field', () => {
    const page = parsePage(
      pageOf(passcodePage({ action: '/p/abc', ...place, error: failure('passcode_required') })).html,
    );
    expect(page.find('p', { id: 'fault' })?.text).to.equal('The message of the error.');
    expect(page.find('input')?.attributes).to.include({
      'aria-invalid': 'true',
      'aria-describedby': 'fault',
    });
    expect(JSON.parse(page.find('script')?.text ?? '')).to.deep.equal(
      presentError(failure('passcode_required')),
    );
  });

  it('says when to try again', () => {
    const parts = {
      action: '/p/abc',
      ...place,
      error: failure('rate_limited', { retry_after_seconds: 421 }),
    };
    const text = parsePage(pageOf(passcodePage(parts)).html).find('p', { id: 'fault' })?.text;
    expect(text).to.equal('The message of the error. Try again in 8 minutes.');
  });
});

describe('reportFormPage', () => {
  const parts = {
    url: 'https://drops.example/p/abc',
    action: '/report/abc?v=2',
    id: 'Abcdefgh01234567',
    maxCharacters: 2_000,
    contactMaxCharacters: 200,
  };
  const refused = (field: string) => ({
    ...parts,
    filled: { reason: 'other', text: '\n\nI saw', contact: 'me' },
    error: failure('invalid_arg', { field }),
  });

  it('posts to the address of the version, and shows the address of the page', () => {
    const page = parsePage(pageOf(reportFormPage(parts)).html);
    expect(page.find('form')?.attributes).to.include({ method: 'post', action: '/report/abc?v=2' });
    expect(page.find('input', { name: 'id' })?.attributes).to.include({ type: 'hidden', value: parts.id });
    expect(page.find('code')?.text).to.equal('https://drops.example/p/abc');
    expect(page.find('p', { id: 'fault' })).to.equal(undefined);
  });

  it('has a label for every field and a legend for the reasons', () => {
    const page = parsePage(pageOf(reportFormPage(parts)).html);
    for (const { attributes, inside } of [...page.all('textarea'), ...page.all('input')]) {
      if (attributes.type === 'hidden') continue;
      if (attributes.type === 'radio') expect(inside).to.include.members(['fieldset', 'label']);
      else expect(page.find('label', { for: attributes.id ?? '' }), attributes.name).to.not.equal(undefined);
    }
    expect(page.find('legend')?.text).to.equal('What is wrong with this page?');
  });

  for (const [field, element] of [
    ['text', 'textarea'],
    ['contact', 'input'],
  ] as const) {
    it(`an error in ${field}: links the message to the field and keeps what was filled in`, () => {
      const page = parsePage(pageOf(reportFormPage(refused(field))).html);
      expect(page.find('p', { id: 'fault' })?.text).to.equal('The message of the error.');
      const attributes = page.find(element, { name: field })?.attributes ?? {};
      expect(attributes['aria-invalid']).to.equal('true');
      expect(attributes['aria-describedby']).to.equal(`fault ${field}-hint`);
      expect(page.find('input', { value: 'other' })?.attributes).to.have.property('checked');
      expect(page.find('textarea')?.text).to.equal('\n\nI saw');
      expect(JSON.parse(page.find('script')?.text ?? '')).to.deep.equal(presentError(refused(field).error));
    });
  }

  it('no report page runs scripts, can be framed or is indexed', () => {
    for (const { html, csp } of [reportFormPage(parts), reportSentPage(true), reportSentPage(false)].map(
      pageOf,
    )) {
      expect(csp)
        .to.match(/default-src 'none'/)
        .and.match(/frame-ancestors 'none'/);
      const page = parsePage(html);
      expect(page.find('meta', { name: 'robots' })?.attributes.content).to.match(/noindex/);
      expect(page.all('h1')).to.have.length(1);
      expect(page.all('script')).to.deep.equal([]);
    }
  });
});
