import { expect } from 'chai';
import { passcodePage } from '../../api/pages/passcode-page.ts';
import { parsePage } from '../support/html.ts';

const fault = (code: string, details?: object) => ({
  error: { code, message: 'What the server says.', ...(details && { details: { ...details } }) },
});

describe('passcodePage', () => {
  it('posts the passcode to the address it stands for, the version included', () => {
    const page = parsePage(passcodePage({ action: '/p/abc?v=2' }).html);
    expect(page.find('form')?.attributes).to.include({ method: 'post', action: '/p/abc?v=2' });
    const input = page.find('input');
    expect(input?.attributes).to.include({ name: 'passcode', type: 'password', autocomplete: 'off' });
    expect(input?.attributes).to.have.property('required');
    expect(page.find('label', { for: input?.attributes.id ?? '' })?.text).to.equal('Passcode');
    expect(page.find('p', { id: 'fault' })).to.equal(undefined);
  });

  it('keeps an address from becoming markup', () => {
    const page = parsePage(passcodePage({ action: '/p/a"><script>alert(1)</script>' }).html);
    expect(page.all('script')).to.deep.equal([]);
    expect(page.find('form')?.attributes.action).to.equal('/p/a"><script>alert(1)</script>');
  });

  it('says that the passcode was wrong, and ties that to the field', () => {
    const { html } = passcodePage({ action: '/p/abc', envelope: fault('passcode_required') });
    const page = parsePage(html);
    expect(page.find('p', { id: 'fault' })?.text).to.match(/not the passcode/);
    expect(page.find('input')?.attributes).to.include({
      'aria-invalid': 'true',
      'aria-describedby': 'fault',
    });
    expect(JSON.parse(page.find('script')?.text ?? '')).to.deep.equal(fault('passcode_required'));
  });

  for (const [seconds, words] of [
    [421, '8 minutes'],
    [60, '60 seconds'],
    [1, 'a moment'],
    [undefined, 'a few minutes'],
  ] as const) {
    it(`says how long to wait after too many tries: ${words}`, () => {
      const envelope = fault('rate_limited', { retry_after_seconds: seconds });
      const page = parsePage(passcodePage({ action: '/p/abc', envelope }).html);
      expect(page.find('p', { id: 'fault' })?.text).to.contain(`Wait ${words}, then`);
      expect(page.find('input', { type: 'password' })).not.to.equal(undefined);
    });
  }

  it('says whatever else was wrong in the words of the error', () => {
    const page = parsePage(passcodePage({ action: '/p/abc', envelope: fault('unavailable') }).html);
    expect(page.find('p', { id: 'fault' })?.text).to.equal('What the server says.');
  });

  it('is not for search engines, and may be posted to its own site alone', () => {
    const { html, csp } = passcodePage({ action: '/p/abc' });
    expect(parsePage(html).find('meta', { name: 'robots' })?.attributes.content).to.match(/noindex/);
    expect(csp)
      .to.match(/default-src 'none'/)
      .and.match(/form-action 'self'/);
  });
});
