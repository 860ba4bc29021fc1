import { expect } from 'chai';
import { sessionNotices, sessionsSection } from '../../api/dashboard/account/sessions.ts';
import { html, toText } from '../../api/html/html.ts';
import { aSession } from '../contract/records.ts';
import { parsePage } from '../support/html.ts';

describe('sessionsSection', () => {
  const formField = html`<input name="form_token">`;
  const [own, phone, other] = [aSession(), aSession({ browser: '<b>Phone' }), aSession()];

  it('has a row and a form for each session, and marks the one of this browser', () => {
    const page = parsePage(toText(sessionsSection([phone, own, other], { id: own.id, formField })));
    const rows = page.all('tr').slice(1);
    expect(rows.map((row) => row.text.includes('This browser'))).to.deep.equal([false, true, false]);
    expect(page.all('b')).to.deep.equal([]);
    expect(page.find('button', { 'aria-label': 'End the session of <b>Phone' })).to.not.equal(undefined);
    expect(
      page.all('form').map((form) => page.within(form, 'input').map(({ attributes }) => attributes.value)),
    ).to.deep.equal([[undefined], ...[phone, own, other].map(({ id }) => [undefined, id])]);
    for (const form of page.all('form')) expect(form.attributes.action).to.equal('/account/sessions');
    expect(Object.keys(sessionNotices)).to.deep.equal(['session-ended', 'sessions-ended']);
  });

  it('offers to end the others where there are several', () => {
    const page = parsePage(toText(sessionsSection([own, phone], { id: own.id, formField })));
    expect(page.find('button', { value: 'others' })).to.equal(undefined);
  });
});
