import { inflateSync } from 'node:zlib';

/** A font of the package @fontsource, as satori takes it. */
export interface FontFile {
  /** TrueType. */
  readonly data: Buffer;
  /** Whether the font has a glyph for the code point. */
  has(codePoint: number): boolean;
}

interface Table {
  readonly record: Buffer;
  readonly bytes: Buffer;
}

/** @param woff the bytes of a WOFF 1.0 file (https://www.w3.org/TR/WOFF/) @throws if it is none */
export function readFont(woff: Buffer): FontFile {
  const tables = readTables(woff);
  const bytesOf = (tag: string) =>
    tables.find(({ record }) => record.toString('latin1', 0, 4) === tag)?.bytes;
  const positions = bytesOf('GPOS');
  if (positions !== undefined) turnAnchors(positions);
  const cmap = bytesOf('cmap');
  const characters = cmap === undefined ? new Set<number>() : readCharacters(cmap);
  return { data: joinTables(woff.readUInt32BE(4), tables), has: (codePoint) => characters.has(codePoint) };
}

function readTables(woff: Buffer): Table[] {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file');
  return Array.from({ length: woff.readUInt16BE(12) }, (_, i) => {
    const at = 44 + 20 * i;
    const [offset, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(at + field));
    const stored = woff.subarray(offset, (offset ?? 0) + (packed ?? 0));
    const bytes = Buffer.from((packed ?? 0) < (length ?? 0) ? inflateSync(stored) : stored);
    const record = Buffer.alloc(16); // tag, checksum, offset, length
    woff.copy(record, 0, at, at + 4);
    woff.copy(record, 4, at + 16, at + 20);
    return { record, bytes };
  });
}

function joinTables(flavor: number, tables: readonly Table[]): Buffer {
  const log = Math.floor(Math.log2(tables.length));
  const header = Buffer.alloc(12);
  header.writeUInt32BE(flavor, 0);
  for (const [i, value] of [tables.length, 16 * 2 ** log, log, 16 * (tables.length - 2 ** log)].entries())
    header.writeUInt16BE(value, 4 + 2 * i);
  let offset = header.length + 16 * tables.length;
  const bodies = tables.map(({ record, bytes }) => {
    record.writeUInt32BE(offset, 8);
    record.writeUInt32BE(bytes.length, 12);
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    offset += padded.length;
    return padded;
  });
  return Buffer.concat([header, ...tables.map(({ record }) => record), ...bodies]);
}

/** The characters of the subtables in format 4 and 12 (https://learn.microsoft.com/typography/opentype/spec/cmap). */
function readCharacters(cmap: Buffer): Set<number> {
  const characters = new Set<number>();
  const add = (first: number, last: number) => {
    for (let codePoint = first; codePoint <= last; codePoint++) characters.add(codePoint);
  };
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + 8 * i + 4));
    const format = table.readUInt16BE(0);
    if (format === 12) {
      for (let group = 0; group < table.readUInt32BE(12); group++)
        add(table.readUInt32BE(16 + 12 * group), table.readUInt32BE(20 + 12 * group));
    } else if (format === 4) {
      const segments = table.readUInt16BE(6); // in bytes: twice their number
      for (let at = 0; at < segments; at += 2) {
        const [last, first] = [table.readUInt16BE(14 + at), table.readUInt16BE(16 + segments + at)];
        if (first !== 0xffff) add(first, last);
      }
    }
  }
  return characters;
}

/**
 * Changes the sign of each anchor's y: satori 0.63 moves marks down by what it should move them up, and in Arabic every dot is
 * a mark. Without this ة looks like ه. (https://learn.microsoft.com/typography/opentype/spec/gpos)
 */
function turnAnchors(gpos: Buffer): void {
  const turned = new Set<number>();
  const u16 = (at: number) => gpos.readUInt16BE(at);
  const turn = (at: number) => {
    if (turned.has(at)) return;
    turned.add(at);
    gpos.writeInt16BE(-gpos.readInt16BE(at + 4), at + 4);
  };
  /** A table of `rows` × `columns` offsets of anchors, after its own count. 0: no anchor. */
  const turnMatrix = (table: number, columns: number) => {
    for (let i = 0; i < u16(table) * columns; i++) {
      const offset = u16(table + 2 + 2 * i);
      if (offset !== 0) turn(table + offset);
    }
  };
  const turnMarks = (table: number) => {
    for (let i = 0; i < u16(table); i++) turn(table + u16(table + 4 + 4 * i));
  };

  function turnSubtable(type: number, at: number): void {
    if (type === 9) turnSubtable(u16(at + 2), at + gpos.readUInt32BE(at + 4)); // extension
    if (type < 4 || type > 6) return; // mark to base, to ligature, to mark
    const [classes, marks, bases] = [u16(at + 6), at + u16(at + 8), at + u16(at + 10)];
    turnMarks(marks);
    if (type !== 5) turnMatrix(bases, classes);
    else for (let i = 0; i < u16(bases); i++) turnMatrix(bases + u16(bases + 2 + 2 * i), classes);
  }

  const lookups = u16(8);
  for (let i = 0; i < u16(lookups); i++) {
    const lookup = lookups + u16(lookups + 2 + 2 * i);
    for (let n = 0; n < u16(lookup + 4); n++) turnSubtable(u16(lookup), lookup + u16(lookup + 6 + 2 * n));
  }
}
