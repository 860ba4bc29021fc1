import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { createHeldBytes } from '../../api/server/held-bytes.ts';
import { createUnreadAnswers } from '../../api/server/unread-answers.ts';

describe('Unread answers', () => {
  const nowhere = () => undefined;
  const log = { debug: nowhere, info: nowhere, warn: nowhere, error: nowhere };
  const watcher = (maxBytes: number) => {
    const held = createHeldBytes(maxBytes);
    return createUnreadAnswers({ seconds: 60, held, ipOf: ({ socket }) => socket.remoteAddress, log });
  };

  /** An answer of which the system has not taken so many bytes. */
  function answer(remoteAddress: string, writableLength: number) {
    const made = Object.assign(new EventEmitter(), {
      socket: { writableLength },
      req: { url: '/', socket: { remoteAddress } },
      isCut: false,
      destroy() {
        made.isCut = true;
        setImmediate(() => made.emit('close'));
      },
    });
    // Proof: all that is asked of an answer is above.
    return { made, res: made as unknown as ServerResponse };
  }

  it('hold what the system has not taken, and of bytes that other clients may be sent too all of them, once', () => {
    const unread = watcher(100);
    const bytes = Buffer.alloc(85);
    const [taken, own, first, second, late] = [
      answer('192.0.2.1', 0),
      answer('192.0.2.1', 10),
      answer('192.0.2.2', 80),
      answer('192.0.2.3', 20),
      answer('192.0.2.1', 10),
    ];
    unread.watch(taken.res, { bytes: Buffer.alloc(1_000) });
    unread.watch(own.res, {});
    unread.watch(first.res, { bytes });
    unread.watch(second.res, { bytes });
    expect([taken, own, first, second].map(({ made }) => made.isCut)).to.deep.equal(Array(4).fill(false));
    unread.watch(late.res, {});
    expect([own, late].map(({ made }) => made.isCut)).to.deep.equal([false, false]);
    expect([first, second].map(({ made }) => made.isCut)).to.deep.equal([true, true]);
    for (const { made } of [own, late]) made.emit('close');
  });

  it('hold nothing once they have ended', () => {
    const unread = watcher(100);
    const ended = [1, 2, 3].map(() => answer('192.0.2.1', 60));
    for (const { made, res } of ended) {
      unread.watch(res, {});
      made.emit('close');
    }
    expect(ended.some(({ made }) => made.isCut)).to.equal(false);
    const [last, more] = [answer('192.0.2.1', 60), answer('192.0.2.1', 41)];
    unread.watch(last.res, {});
    expect(last.made.isCut).to.equal(false);
    unread.watch(more.res, {});
    expect(last.made.isCut).to.equal(true);
    more.made.emit('close');
  });

  it('are those of the account where one is known, from whatever address, else of the network', () => {
    const unread = watcher(100);
    const answers = [1, 2, 3, 4].map((n) => answer(`192.0.2.${n}`, 30));
    const [first, second, third, fourth] = answers.map(({ res }) => res);
    if (!first || !second || !third || !fourth) throw new Error('there are four');
    unread.watch(third, {});
    unread.watch(first, { account: 'a' });
    unread.watch(second, { account: 'a' });
    unread.watch(fourth, {});
    expect(answers.map(({ made }) => made.isCut)).to.deep.equal([true, false, false, false]);
    for (const { made } of answers) made.emit('close');
  });
});
