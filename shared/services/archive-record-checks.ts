import {
  type ArchivedDrop,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
} from '../domain/archive.ts';
import { checkJsonShape } from '../domain/json.ts';
import { messageOf } from '../util/message-of.ts';
import { type createTotals, recordsPerEntry } from './archive-format.ts';
import { parseArchiveRecord } from './archive-records.ts';

/** Far more than a record has. Without limits a small archive made by hand takes gigabytes and hours to read. */
const shape = { maxDepth: 8, maxMembers: 500_000 } as const;

interface ReadRecords {
  readonly records: readonly ArchiveRecord[];
  /** The same, if they are drops. */
  readonly drops: readonly ArchivedDrop[];
  readonly faults: readonly string[];
}

/** Reads records, and checks each by itself, their order, and the accounts that they name. */
export function createRecordChecks(totals: ReturnType<typeof createTotals>) {
  const accounts = new Set<string>();
  let lastKind: ArchiveKind = archiveKinds[0];
  let lastId = '';

  /** @returns what is wrong; null: nothing */
  function checkOrder(kind: ArchiveKind, id: string): string | null {
    const rises =
      kind === lastKind ? id > lastId : archiveKinds.indexOf(kind) > archiveKinds.indexOf(lastKind);
    if (!rises) return `${kind} ${id} is out of order, or twice in the archive`;
    lastKind = kind;
    lastId = id;
    return null;
  }

  function checkOwner(kind: ArchiveKind, record: ArchiveRecord, id: string): string | null {
    const owner = 'ownerId' in record ? record.ownerId : 'accountId' in record ? record.accountId : null;
    if (owner === null || accounts.has(owner)) return null;
    return `${kind} ${id} belongs to account ${owner}, which is not in the archive`;
  }

  return {
    /** @param entry its name, for faults @param bytes a record a line */
    read(entry: string, kind: ArchiveKind, bytes: Uint8Array): ReadRecords {
      const records: ArchiveRecord[] = [];
      const faults: string[] = [];
      const lines = splitLines(bytes);
      if (lines === null) {
        const fault = `${entry} is not read: it has more than ${recordsPerEntry} records`;
        return { records, drops: [], faults: [fault] };
      }
      for (const [n, line] of lines.entries()) {
        totals.addRecord(kind, line);
        try {
          const record = parseArchiveRecord(kind, parseLine(line));
          const id = archiveId(kind, record);
          const wrong = [checkOrder(kind, id), checkOwner(kind, record, id)].filter(
            (fault) => fault !== null,
          );
          faults.push(...wrong);
          if (kind === 'accounts') accounts.add(id);
          records.push(record);
        } catch (error) {
          const reason = messageOf(error);
          faults.push(`${entry} line ${n + 1}: ${reason}`);
        }
      }
      const drops = kind === 'drops' ? (records as ArchivedDrop[]) : []; // proof: parsed as this kind
      return { records, drops, faults };
    },
  };
}

/** Each line with its line break; the last one may lack it. null: there are more than an entry may have. */
function splitLines(bytes: Uint8Array): Uint8Array[] | null {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; ) {
    if (lines.length === recordsPerEntry) return null;
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.byteLength : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

/** @throws Error if it is not JSON in UTF-8 */
function parseLine(line: Uint8Array): unknown {
  checkJsonShape(line, shape, `it has more than ${shape.maxDepth} levels or ${shape.maxMembers} members`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  } catch (cause) {
    throw new Error('it is not JSON in UTF-8', { cause });
  }
}
