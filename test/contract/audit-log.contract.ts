import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { AuditEntry } from '../../shared/moderation/act.ts';
import { inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

type NewEntry = Omit<AuditEntry, 'outcome' | 'endedAt'>;

function anEntry(at = start, changes: Partial<NewEntry> = {}): NewEntry {
  return { id: newId(at), at, by: 'root', act: 'takedown', target: 'abc', reason: 'spam', ...changes };
}

/** What any engine must do for AuditLog. */
export function describeAuditLogContract(engine: string, openStores: OpenStores): void {
  describe(`AuditLog (${engine})`, () => {
    const stores = useStores(openStores);

    it('lists an entry after begin, with all fields and no outcome', async () => {
      const { auditLog } = stores();
      const entry = anEntry(start, { by: 'Ünal', reason: null, act: 'revoke-tokens' });
      await auditLog.begin(entry);
      expect(await auditLog.list(null, 10)).to.deep.equal([{ ...entry, outcome: null, endedAt: null }]);
    });

    it('adds the outcome, once', async () => {
      const { auditLog } = stores();
      const entry = anEntry();
      await auditLog.begin(entry);
      expect(await auditLog.end(entry.id, 'done', later)).to.equal(true);
      expect(await auditLog.end(entry.id, 'undone', later + 1)).to.equal(false);
      expect(await auditLog.list(null, 10)).to.deep.equal([{ ...entry, outcome: 'done', endedAt: later }]);
    });

    it('stores one of 10 parallel outcomes', async () => {
      const { auditLog } = stores();
      const entry = anEntry();
      await auditLog.begin(entry);
      const ends = await inParallel(10, (n) => auditLog.end(entry.id, `outcome ${n}`, later));
      expect(ends.filter(Boolean)).to.have.length(1);
      expect((await auditLog.list(null, 1))[0]?.outcome).to.equal(`outcome ${ends.indexOf(true)}`);
    });

    it('end returns false for an unknown entry', async () => {
      expect(await stores().auditLog.end(newId(start), 'done', later)).to.equal(false);
      expect(await stores().auditLog.list(null, 10)).to.deep.equal([]);
    });

    it('begin rejects an id that exists', async () => {
      const { auditLog } = stores();
      const entry = anEntry();
      await auditLog.begin(entry);
      let isRefused = false;
      await auditLog.begin({ ...entry, by: 'somebody else' }).catch(() => {
        isRefused = true;
      });
      expect(isRefused).to.equal(true);
      expect(await auditLog.list(null, 10)).to.deep.equal([{ ...entry, outcome: null, endedAt: null }]);
    });

    it('lists the newest first, and continues before the last entry of a page', async () => {
      const { auditLog } = stores();
      for (const at of [3, 1, 4, 2, 5]) await auditLog.begin(anEntry(start + at));
      const timesOf = (entries: readonly AuditEntry[]) => entries.map(({ at }) => at - start);
      const first = await auditLog.list(null, 2);
      expect(timesOf(first)).to.deep.equal([5, 4]);
      const second = await auditLog.list(first.at(-1)?.id ?? '', 2);
      expect(timesOf(second)).to.deep.equal([3, 2]);
      expect(timesOf(await auditLog.list(second.at(-1)?.id ?? '', 2))).to.deep.equal([1]);
      expect(await auditLog.list('0', 2)).to.deep.equal([]);
    });
  });
}
