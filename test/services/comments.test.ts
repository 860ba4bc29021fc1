import { expect } from 'chai';
import { type Comment, changedBy, isNewsFor, nextSeq } from '../../shared/comments/comment.ts';
import { aComment, start } from '../contract/records.ts';

/** The comment after changes by these tokens; null: by somebody in a browser. Numbers count from 1. */
function changed(...tokens: readonly (string | null)[]): Comment {
  const [first = null, ...others] = tokens;
  let comment: Comment = { ...aComment({ updatedBy: first }), seq: 1 };
  for (const token of others)
    comment = { ...comment, ...changedBy(comment, token, start), seq: comment.seq + 1 };
  return comment;
}

describe('Comments', () => {
  it('what a token changed itself is no news for it, and for others it is', () => {
    expect(isNewsFor('a', changed(null, 'a'), 1)).to.equal(false);
    expect(isNewsFor('a', changed(null, 'a', 'a'), 1)).to.equal(false);
    expect(isNewsFor('b', changed(null, 'a'), 1)).to.equal(true);
    expect(isNewsFor(null, changed(null, 'a'), 1)).to.equal(true);
  });

  it("a change that a token has not read stays news after the token's own change of the same thread", () => {
    expect(isNewsFor('a', changed(null, null, 'a'), 1)).to.equal(true);
    expect(isNewsFor('a', changed(null, null, 'a', 'a'), 1)).to.equal(true);
    expect(isNewsFor('a', changed(null, null, 'a', 'a'), 2)).to.equal(false);
    expect(isNewsFor('a', changed('a', 'b', 'a'), 1)).to.equal(true);
  });

  it('numbers follow the time, and never go back', () => {
    expect(nextSeq(0, start)).to.equal(start);
    expect(nextSeq(start + 5, start)).to.equal(start + 6);
  });
});
