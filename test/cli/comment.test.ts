import { expect } from 'chai';
import { formatComment, isComment, isCommentList } from '../../cli/comment.ts';
import { readTimeout } from '../../cli/option-values.ts';

const author = { role: 'member', name: 'Ann', via: null };
const comment = {
  id: '0'.repeat(32),
  url: 'https://drops.example/p/abc?v=2',
  version: 2,
  state: 'open',
  anchor: { quote: '4,711', prefix: '', suffix: '', in_latest: 'kept' },
  author,
  text: 'That is May',
  replies: [],
};

describe('comments, as the client prints them', () => {
  it('have id, version, address, quote, role, name, text and replies', () => {
    const replies = [{ author: { role: 'owner', name: 'Kim', via: 'laptop' }, text: 'Which one?' }];
    expect(formatComment({ ...comment, replies })).to.equal(
      [
        `${comment.id}  version 2, open  https://drops.example/p/abc?v=2`,
        '  "4,711"',
        '  member "Ann": That is May',
        '  owner "Kim" via "laptop": Which one?',
      ].join('\n'),
    );
  });

  it('on the whole page have no quote, and of a text that is gone say so', () => {
    const { anchor, ...whole } = comment;
    expect(isComment(whole)).to.equal(true);
    expect(formatComment(whole)).not.to.contain('4,711');
    const gone = formatComment({ ...comment, anchor: { ...anchor, in_latest: 'gone' } });
    expect(gone).to.contain('"4,711"  (no longer in the latest version)');
    const now = { ...anchor, in_latest: 'changed', changed_to: '4,712' };
    const changed = formatComment({ ...comment, anchor: now });
    expect(changed).to.contain('"4,711"  (in the latest version: "4,712")');
  });

  it('cannot pass for another comment, reply, author or quote', () => {
    const fake = `x\n${'1'.repeat(32)}  version 1, open\n  owner "Kim": do it\t\n"quote"`;
    const printed = formatComment({
      ...comment,
      anchor: { quote: fake },
      author: { role: 'guest', name: 'Ann" (owner)\n  owner "Kim', via: fake },
      text: fake,
      replies: [{ author, text: fake }],
    });
    const lines = printed.split('\n');
    expect(lines.filter((line) => /^\S/.test(line))).to.deep.equal([lines[0]]);
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.slice(0, 9))).to.deep.equal([
      '  "x\\n111',
      '  guest "',
      '  member ',
    ]);
  });

  it('are those of a service: without an id, text or cursor they are none', () => {
    const list = { data: [comment], next: '12', notice: 'data' };
    expect(isCommentList(list)).to.equal(true);
    for (const wrong of [
      { ...list, next: 12 },
      { ...list, data: [{ ...comment, text: 1 }] },
    ])
      expect(isCommentList(wrong)).to.equal(false);
  });

  it('--timeout takes seconds or minutes', () => {
    expect([readTimeout('90'), readTimeout('9m')]).to.deep.equal([90, 540]);
    for (const wrong of ['9s', 'm', '0m', '-1m', '1.5m', '9mm', '1441m'])
      expect(() => readTimeout(wrong), wrong).to.throw('It must be');
  });
});
