import { expect } from 'chai';
import { errorPage as errorView } from '../../api/html/error-page.ts';
import { waitText } from '../../api/html/forms.ts';
import { presentError } from '../../api/http/http-error.ts';
import { type Code, DropError } from '../../shared/domain/errors.ts';
import { parsePage } from '../support/html.ts';
import { pageOf } from '../support/layout.ts';

const baseUrl = 'https://drops.example';
const errorPage = (status: number, error: DropError, address = '/nothing') =>
  pageOf(errorView(status, error, { baseUrl, address }));

const failure = (code: Code, message = 'The message of the error.', details?: object) =>
  new DropError(code, message, details && { ...details });

describe('errorPage', () => {
  for (const [status, code, title] of [
    [404, 'not_found', 'Page not found'],
    [400, 'invalid_slug', 'Page not found'],
    [404, 'version_not_found', 'Version not found'],
    [410, 'forbidden', 'Page removed'],
    [410, 'not_found', 'Page removed'],
    [403, 'forbidden', 'Not allowed'],
    [403, 'passcode_required', 'Passcode required'],
    [429, 'rate_limited', 'Too many requests'],
    [500, 'internal_error', 'Server error'],
    [503, 'unavailable', 'Service unavailable'],
  ] as const) {
    it(`${status} ${code}: ${title}`, () => {
      const page = parsePage(errorPage(status, failure(code)).html);
      expect(page.find('h1')?.text).to.equal(title);
      expect(page.find('p', { class: 'status' })?.text).to.equal(String(status));
    });
  }

  it('shows the message of 403, 429 and any other error, but not that of 404 and 500', () => {
    for (const [status, isShown] of [
      [403, true],
      [429, true],
      [405, true],
      [404, false],
      [500, false],
    ] as const) {
      const text = parsePage(errorPage(status, failure('invalid_arg')).html).find('main')?.text;
      expect(text?.includes('The message of the error.'), String(status)).to.equal(isShown);
    }
  });

  it('links to the latest version when a version is missing', () => {
    const page = parsePage(errorPage(404, failure('version_not_found')).html);
    expect(page.find('a', { class: 'button' })?.attributes.href).to.equal('?');
  });

  it('404 and 410 of a page say what may have happened, never what has, and lead on from every frame and host', () => {
    const shown = [failure('not_found'), failure('forbidden')].map((error, i) => {
      const page = parsePage(errorPage(i === 0 ? 404 : 410, error, '/p/t9tzZkipKQ5I/raw?v=2').html);
      const reasons = page.all('li').map(({ text }) => text);
      for (const word of ['expired', 'moved or deleted', 'operators'])
        expect(reasons.join(' ')).to.include(word);
      const links = page.all('a').map(({ attributes }) => [attributes.href, attributes.target]);
      for (const path of ['/', '/help#viewers', '/drops/t9tzZkipKQ5I'])
        expect(links).to.deep.include([baseUrl + path, '_top']);
      return reasons;
    });
    const [unknown, removed] = shown;
    expect(unknown?.[0]).to.include('typing error');
    expect(unknown?.slice(1)).to.deep.equal(removed);
  });

  it('404 of no page, and 400 of what is no slug, lead to no drop', () => {
    for (const address of ['/nothing', '/p/a.b', '/p/%2e', '/report/a.b?v=1']) {
      const page = parsePage(errorPage(404, failure('not_found'), address).html);
      const links = page.all('a').map(({ attributes }) => attributes.href);
      expect(links).to.include(`${baseUrl}/`);
      expect(links.join(' ')).not.to.include('/drops/');
    }
  });

  it('a link with a full stop or a bracket after it: 400, says what may have happened and leads on', () => {
    for (const address of ['/p/t9tzZkipKQ5I.', '/p/t9tzZkipKQ5I)']) {
      const page = parsePage(errorPage(400, failure('invalid_slug'), address).html);
      expect(page.all('li')[0]?.text).to.include('typing error');
      expect(page.find('a', { class: 'button' })?.attributes.href).to.equal(`${baseUrl}/`);
    }
  });

  it('says when to try again', () => {
    const { html } = errorPage(429, failure('rate_limited', 'At most 5', { retry_after_seconds: 42 }));
    expect(parsePage(html).find('main')?.text).to.contain('At most 5. Try again in 42 seconds.');
  });

  it('contains the envelope as data that cannot become markup', () => {
    const hostile = failure('invalid_arg', '</script><!--<script><img src=x onerror=alert(1)>]]>\u2028', {
      field: '</SCRIPT >&"\'',
    });
    const page = parsePage(errorPage(400, hostile).html);
    const data = page.find('script', { id: 'error' });
    expect(data?.attributes.type).to.equal('application/json');
    expect(JSON.parse(data?.text ?? '')).to.deep.equal(presentError(hostile));
    expect(page.all('script')).to.have.length(1);
    expect(page.all('img')).to.deep.equal([]);
    expect(page.find('main')?.text).to.contain('</script><!--');
  });

  it("can be shown in the viewer's frame, and sends no form", () => {
    const { csp } = errorPage(404, failure('not_found'));
    expect(csp)
      .to.match(/frame-ancestors 'self'/)
      .and.match(/form-action 'none'/);
  });
});

it('waitText: seconds below two minutes, then minutes, then hours, rounded up', () => {
  for (const [seconds, words] of [
    [0, 'a moment'],
    [1, 'a moment'],
    [2, '2 seconds'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [121, '3 minutes'],
    [7_199, '120 minutes'],
    [7_200, '2 hours'],
    [86_400, '24 hours'],
    [undefined, null],
    ['60', null],
  ] as const)
    expect(waitText(seconds), String(seconds)).to.equal(words);
});
