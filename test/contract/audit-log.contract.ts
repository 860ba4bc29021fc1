import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { AuditEntry } from '../../shared/moderation/act.ts';
import { lazily } from '../support/between.ts';
import { rejectionOf } from '../support/rejection.ts';
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
    const auditLog = lazily(() => stores().auditLog);
    const list = () => stores().auditLog.list(null, 10);

    it('lists an entry after begin with all fields and no outcome; a second one of its id is refused', async () => {
      const entry = anEntry(start, { by: 'Ünal', reason: null, act: 'revoke-tokens' });
      await auditLog.begin(entry);
      expect(await rejectionOf(auditLog.begin({ ...entry, by: 'somebody else' }))).to.be.an('error');
      expect(await list()).to.deep.equal([{ ...entry, outcome: null, endedAt: null }]);
    });

    it('adds one outcome of 10 parallel ones, and no later one; none to an unknown entry', async () => {
      expect(await auditLog.end(newId(start), 'done', later)).to.equal(false);
      expect(await list()).to.deep.equal([]);
      const entry = anEntry();
      await auditLog.begin(entry);
      const ends = await inParallel(10, (n) => auditLog.end(entry.id, `outcome ${n}`, later));
      expect(ends.filter(Boolean)).to.have.length(1);
      expect(await auditLog.end(entry.id, 'undone', later + 1)).to.equal(false);
      const outcome = `outcome ${ends.indexOf(true)}`;
      expect(await list()).to.deep.equal([{ ...entry, outcome, endedAt: later }]);
    });

    it('removes entries of acts before a time, in parts, and no others', async () => {
      await inParallel(250, (n) => auditLog.begin(anEntry(start - 1 - n)));
      const kept = anEntry(start);
      await auditLog.begin(kept);
      for (let round = 0; round < 2; round++) {
        await auditLog.removeBefore(start);
        expect(await list()).to.deep.equal([{ ...kept, outcome: null, endedAt: null }]);
      }
    });

    it('lists the newest first, and continues before the last entry of a page', async () => {
      for (const at of [3, 1, 4, 2, 5]) await auditLog.begin(anEntry(start + at));
      let before: string | null = null;
      for (const page of [[5, 4], [3, 2], [1], []]) {
        const entries: AuditEntry[] = await auditLog.list(before, 2);
        expect(entries.map(({ at }) => at - start)).to.deep.equal(page);
        before = entries.at(-1)?.id ?? null;
      }
      expect(await auditLog.list('0', 2)).to.deep.equal([]);
    });
  });
}
