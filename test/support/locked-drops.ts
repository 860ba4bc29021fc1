import { expect } from 'chai';
import type { Answer } from './client.ts';
import type { TestService } from './service.ts';

/** A passcode's tries count for an address, so each drop has a visitor's address of its own: trust the header. */
export const lockedDropSettings = {
  TRUST_PROXY: '1',
  PASSCODE_TRIES: '3',
  PASSCODE_TRIES_PER_ADDRESS: '5',
  PASSCODE_TRIES_PER_DROP: '6',
};

const html = '<!doctype html><title>HTML-SECRET-TITLE</title><p>HTML-SECRET';
export const secrets = {
  title: 'TITLE-SECRET',
  html,
  description: 'DESCRIPTION-SECRET',
  context: 'CONTEXT-SECRET',
  metadata: { key: 'METADATA-SECRET' },
};

/** Locked drops all of whose parts can be recognized, and visitors from addresses that nobody else has. */
export function createLockedDrops(service: TestService) {
  let lastAddress = 0;
  const from = () => ({ 'x-forwarded-for': `192.0.2.${++lastAddress}` });
  return {
    from,
    async lockedDrop(versions = 2) {
      const owner = await service.newOwner();
      const drop = await owner.create({ ...secrets, passcode: 'open-sesame' });
      for (let n = 2; n <= versions; n++) await owner.put(drop.slug, { html, context: secrets.context });
      return { owner, drop, slug: drop.slug, address: from() };
    },
  };
}

export function expectNoLeak(answer: Answer<unknown>): void {
  expect(`${JSON.stringify(answer.headers)} ${answer.text}`).to.not.match(/SECRET|sesame/);
  expect(answer.headers['cache-control']).to.match(/no-store/);
  expect(answer.headers.etag).to.equal(undefined);
}
