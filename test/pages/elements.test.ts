import { expect } from 'chai';
import { copyButton, noticeFor, timeTag } from '../../api/html/elements.ts';
import { toText } from '../../api/html/html.ts';
import { parsePage } from '../support/html.ts';

describe('parts of pages', () => {
  it('timeTag: the moment for programs, the exact UTC time as title, UTC as text without scripts', () => {
    const ms = Date.UTC(2026, 10, 23, 5, 1, 22);
    const time = (options?: { relative: boolean }) => parsePage(toText(timeTag(ms, options))).find('time');
    expect(time()).to.deep.include({
      text: '2026-11-23 05:01 UTC',
      attributes: { datetime: '2026-11-23T05:01:22.000Z', title: '2026-11-23 05:01:22 UTC' },
    });
    expect(time({ relative: true })?.attributes).to.have.property('data-relative');
  });

  it('noticeFor: shows the texts that the page knows, and nothing else', () => {
    const texts = { deleted: 'The drop was deleted.' };
    expect(toText(noticeFor('deleted', texts) ?? timeTag(0))).to.equal(
      '<p class="notice" role="status">The drop was deleted.</p>',
    );
    for (const key of ['other', 'constructor', '', undefined, ['deleted'], {}])
      expect(noticeFor(key, texts), String(key)).to.equal(null);
  });

  it('copyButton: hidden without scripts, and its text is inert', () => {
    const button = parsePage(toText(copyButton('"><script>', 'Copy link'))).find('button');
    expect(button?.attributes).to.include({ type: 'button', 'data-copy': '"><script>', hidden: '' });
    expect(button?.text).to.equal('Copy link');
  });
});
