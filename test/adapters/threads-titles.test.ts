import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { createThreadTitleFinder } from '../../shared/threads/threads.ts';
import { rejectionOf } from '../support/rejection.ts';

/** A title behind so many bytes that its search takes much longer than a millisecond. */
const slow = Buffer.from(`<style>${'a{color:red}'.repeat(2_000_000)}</style><title>late</title>`);

describe('createThreadTitleFinder', () => {
  it('a search that does not end in time is unavailable, and no statement about the document', async () => {
    const finder = createThreadTitleFinder({ timeoutMs: 1 });
    const ended = rejectionOf(finder.find(slow, 200));
    const waiting = finder.find(Buffer.from('<title>next</title>'), 200).catch((error: unknown) => error);
    const error = await ended;
    expect(error).to.be.instanceOf(DropError).and.include({ code: 'unavailable' });
    expect(error).to.have.nested.property('details.retry_after_seconds', 1);
    expect(error.cause, 'for the log').to.be.an('error');
    await waiting;
    await finder.close();
  });

  it('finds a title behind a megabyte of style, and null where head has none', async () => {
    const finder = createThreadTitleFinder({ timeoutMs: 60_000 });
    const large = Buffer.from(`<style>${'a{color:red}'.repeat(90_000)}</style><title>late</title>`);
    expect(await finder.find(large, 200)).to.equal('late');
    expect(await finder.find(Buffer.from('<p>none'), 200)).to.equal(null);
    await finder.close();
  });
});
