import { expect } from 'chai';
import type { StoredIdentity } from '../../shared/identities/identity-store.ts';
import { later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const one = '1'.repeat(32);
const other = '2'.repeat(32);

const ada: StoredIdentity = {
  provider: 'oidc:https://login.example',
  subject: 'Ada $1 \u{1f343}',
  accountId: one,
  name: 'Ada',
  email: 'ada@example.org',
  groups: ['/staff', '$all', 'a,b'],
  refreshToken: 'sealed',
  checkedAt: start,
  createdAt: start,
};

/** What any engine must do for IdentityStore. */
export function describeIdentityStoreContract(engine: string, openStores: OpenStores): void {
  describe(`IdentityStore (${engine})`, () => {
    const stores = useStores(openStores);
    const plain = { ...ada, subject: 'plain', email: null, groups: [], refreshToken: null, createdAt: later };

    it('the first claim of an identity stores it, and every other one returns that', async () => {
      const { identities } = stores();
      expect(await identities.find(ada)).to.equal(null);
      const claims = await Promise.all(
        [one, other].map((accountId) => identities.claim({ ...ada, accountId })),
      );
      expect(claims[0]).to.deep.equal(claims[1]);
      expect(await identities.find(ada)).to.deep.equal(claims[0]);
      expect(await identities.claim(plain)).to.deep.equal(plain);
      expect(await identities.find(plain)).to.deep.equal(plain);
      expect(await identities.find({ ...ada, provider: 'local' })).to.equal(null);
    });

    it('lists those of an account, the oldest first', async () => {
      const { identities } = stores();
      for (const each of [plain, ada, { ...ada, subject: 'foreign', accountId: other }])
        await identities.claim(each);
      expect(await identities.listOfAccount(one)).to.deep.equal([ada, plain]);
    });

    it('notes what the provider says, in full, only for the account that has it', async () => {
      const { identities } = stores();
      await identities.claim(ada);
      const { name, email, groups, refreshToken } = plain;
      const claims = { name, email, groups, refreshToken, checkedAt: later };
      expect(await identities.note({ ...ada, accountId: other }, claims)).to.equal(false);
      expect(await identities.note(ada, claims)).to.equal(true);
      expect(await identities.find(ada)).to.deep.equal({ ...ada, ...claims });
      expect(await identities.note(ada, { ...claims, email: 'b@x.org', refreshToken: 'next' })).to.equal(
        true,
      );
      expect(await identities.find(ada)).to.deep.equal({
        ...ada,
        ...claims,
        email: 'b@x.org',
        refreshToken: 'next',
      });
    });

    it('notes only what was checked at the expected time', async () => {
      const { identities } = stores();
      await identities.claim(ada);
      const { name, email, groups, refreshToken } = ada;
      const at = (checkedAt: number) => ({ name, email, groups, refreshToken, checkedAt });
      expect(await identities.note(ada, at(later), later)).to.equal(false);
      const noted = await Promise.all([1, 2, 3].map((n) => identities.note(ada, at(later + n), start)));
      expect(noted.filter(Boolean), 'of parallel checks one begins').to.have.length(1);
      expect((await identities.find(ada))?.checkedAt).to.be.above(later);
    });

    it('gives an identity to another account only if it is that of the first', async () => {
      const { identities } = stores();
      await identities.claim(ada);
      const taken = { ...plain, subject: ada.subject, accountId: other, name: '$email' };
      expect(await identities.reassign(taken, other)).to.equal(false);
      expect(await identities.reassign(taken, one)).to.equal(true);
      expect(await identities.find(ada)).to.deep.equal(taken);
      expect(await identities.listOfAccount(one)).to.deep.equal([]);
    });

    it('lists those to check, the longest ago first, without those that cannot be checked', async () => {
      const { identities } = stores();
      const checked = (subject: string, checkedAt: number) => ({ ...ada, subject, checkedAt });
      const due = [checked('b', start - 2), checked('a', start - 1)];
      for (const each of [...due, checked('now', start), plain]) await identities.claim(each);
      expect(await identities.listToCheck(start, 10)).to.deep.equal(due);
      expect(await identities.listToCheck(start, 1)).to.deep.equal(due.slice(0, 1));
    });

    it('removes one of an account, or some', async () => {
      const { identities } = stores();
      for (const each of [ada, plain]) await identities.claim(each);
      expect(await identities.remove({ ...ada, accountId: other })).to.equal(false);
      expect(await identities.remove(ada)).to.equal(true);
      expect(await identities.removeSome(one, 5)).to.equal(1);
      expect(await identities.removeSome(one, 5)).to.equal(0);
    });
  });
}
