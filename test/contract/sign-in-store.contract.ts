import { expect } from 'chai';
import type { SignIn } from '../../shared/sign-ins/sign-in.ts';
import { aSignIn, inParallel, later } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for SignInStore. */
export function describeSignInStoreContract(engine: string, openStores: OpenStores): void {
  describe(`SignInStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function insert(changes: Partial<SignIn> = {}): Promise<SignIn> {
      const signIn = aSignIn(changes);
      expect(await stores().signIns.insert(signIn)).to.equal('inserted');
      return signIn;
    }

    async function statusOf({ id }: SignIn) {
      return (await stores().signIns.find(id))?.status;
    }

    it('finds a sign-in with all fields by its id, its code and its poll token', async () => {
      const { signIns } = stores();
      for (const signIn of [await insert(), await insert({ label: null, accountId: 'a1' })]) {
        expect(await signIns.find(signIn.id)).to.deep.equal(signIn);
        expect(await signIns.findByCode(signIn.codeHash)).to.deep.equal(signIn);
        expect(await signIns.findByPoll(signIn.pollHash)).to.deep.equal(signIn);
      }
    });

    it('returns null for unknown ids, codes and poll tokens', async () => {
      const { signIns } = stores();
      const { id, codeHash, pollHash } = aSignIn();
      expect(await signIns.find(id)).to.equal(null);
      expect(await signIns.findByCode(codeHash)).to.equal(null);
      expect(await signIns.findByPoll(pollHash)).to.equal(null);
    });

    it('refuses the code of a stored sign-in until that is removed', async () => {
      const { signIns } = stores();
      const first = await insert();
      const second = aSignIn({ codeHash: first.codeHash });
      expect(await signIns.insert(second)).to.equal('code_taken');
      expect(await signIns.find(second.id)).to.equal(null);
      await signIns.removeExpiredBefore(first.expiresAt + 1);
      expect(await signIns.insert(second)).to.equal('inserted');
    });

    it('approves a pending sign-in for the account', async () => {
      const signIn = await insert();
      expect(await stores().signIns.approve(signIn.id, 'a1', later)).to.equal(true);
      expect(await stores().signIns.find(signIn.id)).to.deep.equal({
        ...signIn,
        status: 'verified',
        accountId: 'a1',
      });
    });

    it('endByAccount expires verified and claimed sign-ins of the account only', async () => {
      const { signIns } = stores();
      const states = ['pending', 'verified', 'verified', 'claimed', 'expired'] as const;
      const own: SignIn[] = [];
      for (const status of states) {
        own.push(await insert({ status, accountId: status === 'pending' ? null : 'a1' }));
      }
      const others = await insert({ status: 'verified', accountId: 'a2' });
      expect(await signIns.endByAccount('a1'), 'those that were verified').to.equal(2);
      expect(await Promise.all(own.map(statusOf))).to.deep.equal([
        'pending',
        'expired',
        'expired',
        'expired',
        'expired',
      ]);
      expect(await statusOf(others)).to.equal('verified');
      for (const { id } of own) expect(await signIns.claim(id, later)).to.equal(null);
      expect(await signIns.endByAccount('a1')).to.equal(0);
    });

    it('approves once: a second approval changes nothing', async () => {
      const { signIns } = stores();
      const signIn = await insert();
      const approved = await inParallel(20, (i) => signIns.approve(signIn.id, `a${i}`, later));
      expect(approved.filter(Boolean)).to.have.length(1);
      expect((await signIns.find(signIn.id))?.accountId).to.equal(`a${approved.indexOf(true)}`);
    });

    it('ends a pending sign-in that is denied', async () => {
      const { signIns } = stores();
      const signIn = await insert();
      expect(await signIns.deny(signIn.id, later)).to.equal(true);
      expect(await statusOf(signIn)).to.equal('expired');
      expect(await signIns.approve(signIn.id, 'a1', later)).to.equal(false);
      expect(await signIns.deny(signIn.id, later)).to.equal(false);
    });

    it('claim returns a verified sign-in to exactly one of 20 parallel calls', async () => {
      const { signIns } = stores();
      const signIn = await insert();
      await signIns.approve(signIn.id, 'a1', later);
      const claims = await inParallel(20, () => signIns.claim(signIn.id, later));
      const won = claims.filter((claim) => claim !== null);
      expect(won).to.deep.equal([{ ...signIn, status: 'claimed', accountId: 'a1' }]);
      expect(await statusOf(signIn)).to.equal('claimed');
      expect(await signIns.claim(signIn.id, later)).to.equal(null);
    });

    it('claim returns null for a sign-in that is not verified', async () => {
      const { signIns } = stores();
      const signIn = await insert();
      expect(await signIns.claim(signIn.id, later)).to.equal(null);
      expect(await signIns.claim('unknown', later)).to.equal(null);
      expect(await statusOf(signIn)).to.equal('pending');
    });

    it('approve, deny and claim change nothing from expiresAt on', async () => {
      const { signIns } = stores();
      const pending = await insert();
      const verified = await insert();
      await signIns.approve(verified.id, 'a1', later);
      const over = pending.expiresAt;
      expect(await signIns.approve(pending.id, 'a1', over)).to.equal(false);
      expect(await signIns.deny(pending.id, over)).to.equal(false);
      expect(await signIns.claim(verified.id, over)).to.equal(null);
      expect(await signIns.claim(verified.id, over - 1)).to.not.equal(null);
      expect(await signIns.approve(pending.id, 'a1', over - 1)).to.equal(true);
    });

    it('expires pending and verified sign-ins past expiresAt', async () => {
      const { signIns } = stores();
      const [pending, verified, claimed] = [await insert(), await insert(), await insert()];
      for (const { id } of [verified, claimed]) await signIns.approve(id, 'a1', later);
      await signIns.claim(claimed.id, later);
      const running = await insert({ expiresAt: pending.expiresAt + 1 });
      const statuses = () => Promise.all([pending, verified, claimed, running].map(statusOf));
      await signIns.expire(pending.expiresAt - 1);
      expect(await statuses()).to.deep.equal(['pending', 'verified', 'claimed', 'pending']);
      for (let i = 0; i < 2; i++) await signIns.expire(pending.expiresAt);
      expect(await statuses()).to.deep.equal(['expired', 'expired', 'claimed', 'pending']);
    });

    it('removes sign-ins that expired before the given time', async () => {
      const { signIns } = stores();
      const old = await insert();
      const kept = await insert({ expiresAt: old.expiresAt + 1 });
      await signIns.removeExpiredBefore(old.expiresAt);
      expect(await signIns.find(old.id)).to.deep.equal(old);
      await signIns.removeExpiredBefore(kept.expiresAt);
      expect(await signIns.find(old.id)).to.equal(null);
      expect(await signIns.findByCode(old.codeHash)).to.equal(null);
      expect(await signIns.findByPoll(old.pollHash)).to.equal(null);
      expect(await signIns.find(kept.id)).to.deep.equal(kept);
    });
  });
}
