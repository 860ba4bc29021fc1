import { expect } from 'chai';
import { limitTable } from '../../shared/limits/limit-table.ts';

/** Processes of two releases count under one key, and metrics show it. */
const keys = {
  write: 'write',
  writeOfDay: 'writes_per_day',
  change: 'change',
  repeat: 'repeat',
  upload: 'upload',
  uploadDocument: 'upload-document',
  uploadRepeat: 'upload-repeat',
  signInStart: 'sign-in',
  signInOfAccount: 'sign-in-of',
  token: 'token',
  signInCode: 'code',
  signInKey: 'key',
  passcodeOfDrop: 'passcode-of',
  passcode: 'passcode',
  passcodeOfDropByAddress: 'passcode-of',
  report: 'report',
  reportOfDrop: 'report-of',
  commentOfMinute: 'comments-minute',
  commentOfDay: 'comments-day',
  commentOfGuest: 'comment',
  commentOfMember: 'comment',
  commentOnDrop: 'comment-of',
  commentForOwner: 'comment-to',
  accessRequest: 'ask',
};

describe('The table of limits', () => {
  it('keeps the keys under which counts run', () => {
    const found = Object.entries(limitTable).map(([name, { key }]) => [name, key]);
    expect(Object.fromEntries(found)).to.deep.equal(keys);
  });

  it('names the count of a network after that of its addresses', () => {
    for (const row of Object.values(limitTable)) {
      if ('networkKey' in row) expect(row.networkKey).to.equal(`${row.key}-from`);
    }
  });
});
