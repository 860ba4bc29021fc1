import { expect } from 'chai';
import type { SignIn, SignInStatus } from '../../shared/sign-ins/sign-in.ts';
import { lazily } from '../support/between.ts';
import { aSignIn, inParallel, later } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What each change does to a sign-in of each state; of an account only once it was approved. */
const changes: readonly (readonly [
  change: 'approve' | 'deny' | 'claim',
  from: SignInStatus,
  to: SignInStatus,
])[] = [
  ['approve', 'pending', 'verified'],
  ['deny', 'pending', 'expired'],
  ['claim', 'verified', 'claimed'],
];
const states: readonly SignInStatus[] = ['pending', 'verified', 'claimed', 'expired'];

/** What any engine must do for SignInStore. */
export function describeSignInStoreContract(engine: string, openStores: OpenStores): void {
  describe(`SignInStore (${engine})`, () => {
    const stores = useStores(openStores);
    const signIns = lazily(() => stores().signIns);

    async function insert(fields: Partial<SignIn> = {}): Promise<SignIn> {
      const signIn = aSignIn(fields);
      expect(await stores().signIns.insert(signIn)).to.equal(true);
      return signIn;
    }

    const inState = (status: SignInStatus, accountId: string | null = 'a1') =>
      insert({ status, accountId: status === 'pending' ? null : accountId });
    const statusOf = async ({ id }: SignIn) => (await stores().signIns.find(id))?.status;
    const statusesOf = (all: readonly SignIn[]) => Promise.all(all.map(statusOf));

    /** @returns whether it changed the sign-in */
    async function change(how: (typeof changes)[number][0], id: string, now = later): Promise<boolean> {
      if (how === 'claim') return (await signIns.claim(id, now)) !== null;
      return how === 'approve'
        ? signIns.approve(id, { accountId: 'a1', scope: 'all' }, now)
        : signIns.deny(id, now);
    }

    it('finds a sign-in with all fields by its id, its code and its poll token; null for others', async () => {
      for (const signIn of [await insert(), await insert({ label: null, accountId: 'a1' })]) {
        expect(await signIns.find(signIn.id)).to.deep.equal(signIn);
        expect(await signIns.findByCode(signIn.codeHash)).to.deep.equal(signIn);
        expect(await signIns.findByPoll(signIn.pollHash)).to.deep.equal(signIn);
      }
      const { id, codeHash, pollHash } = aSignIn();
      expect(await signIns.find(id)).to.equal(null);
      expect(await signIns.findByCode(codeHash)).to.equal(null);
      expect(await signIns.findByPoll(pollHash)).to.equal(null);
    });

    it('refuses the code of a stored sign-in until that is removed', async () => {
      const first = await insert();
      const second = aSignIn({ codeHash: first.codeHash });
      expect(await signIns.insert(second)).to.equal(false);
      expect(await signIns.find(second.id)).to.equal(null);
      await signIns.removeExpiredBefore(first.expiresAt + 1);
      expect(await signIns.insert(second)).to.equal(true);
    });

    for (const [how, from, to] of changes) {
      it(`${how}: ${from} → ${to}, before expiresAt; no other state changes`, async () => {
        for (const state of states) {
          const signIn = await inState(state);
          if (state === from)
            expect(await change(how, signIn.id, signIn.expiresAt), 'too late').to.equal(false);
          expect(await stores().signIns.find(signIn.id)).to.deep.equal(signIn);
          expect(await change(how, signIn.id, signIn.expiresAt - 1), state).to.equal(state === from);
          const accountId = how === 'approve' && state === from ? 'a1' : signIn.accountId;
          const changed = state === from ? { ...signIn, status: to, accountId } : signIn;
          expect(await stores().signIns.find(signIn.id), state).to.deep.equal(changed);
        }
        expect(await change(how, 'unknown')).to.equal(false);
      });

      it(`${how}: one of 20 parallel calls changes it`, async () => {
        const signIn = await inState(from);
        const outcomes = await inParallel<SignIn | boolean | null>(20, (n) => {
          if (how === 'approve')
            return signIns.approve(signIn.id, { accountId: `a${n}`, scope: 'publish' }, later);
          return how === 'deny' ? signIns.deny(signIn.id, later) : signIns.claim(signIn.id, later);
        });
        const won = outcomes.filter(Boolean);
        expect(won).to.deep.equal([how === 'claim' ? { ...signIn, status: to } : true]);
        const found = await signIns.find(signIn.id);
        expect(found?.status).to.equal(to);
        if (how === 'approve') expect(found?.accountId).to.equal(`a${outcomes.indexOf(true)}`);
      });
    }

    it('expireByAccount expires verified and claimed sign-ins of the account only', async () => {
      const own: SignIn[] = [];
      for (const status of [...states, 'verified'] as const) own.push(await inState(status));
      const others = await inState('verified', 'a2');
      expect(await signIns.expireByAccount('a1'), 'those that were verified').to.equal(2);
      expect(await statusesOf(own)).to.deep.equal(['pending', ...Array(4).fill('expired')]);
      expect(await statusOf(others)).to.equal('verified');
      for (const { id } of own) expect(await signIns.claim(id, later)).to.equal(null);
      expect(await signIns.expireByAccount('a1')).to.equal(0);
    });

    it('countVerified counts those of the account that are verified and not past expiresAt', async () => {
      for (const status of [...states, 'verified'] as const) await inState(status);
      const { expiresAt } = await inState('verified', 'a2');
      expect(await signIns.countVerified('a1', expiresAt - 1)).to.equal(2);
      expect(await signIns.countVerified('a2', expiresAt - 1)).to.equal(1);
      expect(await signIns.countVerified('a1', expiresAt)).to.equal(0);
      expect(await signIns.countVerified('a3', expiresAt - 1)).to.equal(0);
    });

    it('expires pending and verified sign-ins past expiresAt', async () => {
      const all: SignIn[] = [];
      for (const status of ['pending', 'verified', 'claimed'] as const) all.push(await inState(status));
      const { expiresAt } = all[0] ?? expect.fail();
      all.push(await insert({ expiresAt: expiresAt + 1 }));
      await signIns.expire(expiresAt - 1);
      expect(await statusesOf(all)).to.deep.equal(['pending', 'verified', 'claimed', 'pending']);
      for (let i = 0; i < 2; i++) await signIns.expire(expiresAt);
      expect(await statusesOf(all)).to.deep.equal(['expired', 'expired', 'claimed', 'pending']);
    });

    it('removes sign-ins that expired before the given time', async () => {
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
