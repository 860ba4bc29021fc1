import { expect } from 'chai';
import { errorPage } from '../../api/html/error-page.ts';
import { parsePage } from '../support/html.ts';

const envelope = (code: string, message = 'What the server says.', details?: object) => ({
  error: { code, message, ...(details && { details: { ...details } }) },
});

describe('errorPage', () => {
  for (const [status, code, title] of [
    [404, 'not_found', 'Page not found'],
    [400, 'invalid_slug', 'Page not found'],
    [404, 'version_not_found', 'No such version'],
    [410, 'forbidden', 'This page was taken down'],
    [410, 'not_found', 'This page is gone'],
    [403, 'forbidden', 'Not allowed'],
    [403, 'passcode_required', 'A passcode is needed'],
    [429, 'rate_limited', 'Too many requests'],
    [500, 'internal_error', 'Something went wrong'],
    [503, 'unavailable', 'Not available right now'],
  ] as const) {
    it(`${status} ${code}: ${title}`, () => {
      const page = parsePage(errorPage(status, envelope(code)).html);
      expect(page.find('h1')?.text).to.equal(title);
      expect(page.find('p', { class: 'status' })?.text).to.equal(String(status));
      expect(page.find('main')?.text).not.to.contain('What the server says.');
    });
  }

  it('says what else went wrong in the words of the error', () => {
    const page = parsePage(errorPage(405, envelope('invalid_arg')).html);
    expect(page.find('main')?.text).to.contain('What the server says.');
  });

  it('offers the latest version in place of one that is not there', () => {
    const page = parsePage(errorPage(404, envelope('version_not_found')).html);
    expect(page.find('a')?.attributes.href).to.equal('?');
  });

  for (const [seconds, words] of [
    [1, 'in a moment'],
    [42, 'in 42 seconds'],
    [600, 'in 10 minutes'],
    [86_400, 'in 24 hours'],
  ] as const) {
    it(`says when to try again: ${words}`, () => {
      const { html } = errorPage(429, envelope('rate_limited', 'x', { retry_after_seconds: seconds }));
      expect(parsePage(html).find('main')?.text).to.contain(`Try again ${words}.`);
    });
  }

  it('carries the envelope as data that ends nothing and begins nothing', () => {
    const hostile = envelope('invalid_arg', '</script><!--<script><img src=x onerror=alert(1)>]]>\u2028', {
      field: '</SCRIPT >&"\'',
    });
    const page = parsePage(errorPage(400, hostile).html);
    const data = page.find('script', { id: 'error' });
    expect(data?.attributes.type).to.equal('application/json');
    expect(JSON.parse(data?.text ?? '')).to.deep.equal(hostile);
    expect(page.all('script')).to.have.length(1);
    expect(page.all('img')).to.deep.equal([]);
    expect(page.find('main')?.text).to.contain('</script><!--');
  });

  it('may be shown in the frame of a drop, runs nothing and posts nowhere', () => {
    const { csp } = errorPage(404, envelope('not_found'));
    expect(csp).to.match(/default-src 'none'/);
    expect(csp).to.match(/frame-ancestors 'self'/);
    expect(csp).to.match(/form-action 'none'/);
  });
});
