import { crc32, inflateRawSync } from 'node:zlib';

const endOfDirectory = 0x06054b50;
const inDirectory = 0x02014b50;
const beforeContent = 0x04034b50;

/**
 * Reads a zip file (APPNOTE.TXT, 4.3) by its directory, and checks it as an unpacker does.
 * @returns the texts of its files by their paths, in the order of the directory @throws Error if it is no whole archive
 */
export function unzip(bytes: Buffer): ReadonlyMap<string, string> {
  const end = bytes.length - 22; // without a comment
  expectSignature(bytes, end, endOfDirectory);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    expectSignature(bytes, at, inDirectory);
    const lengthOfName = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + lengthOfName);
    if (files.has(name)) throw new Error(`the zip file has ${name} twice`);
    files.set(name, readContent(bytes, at, name));
    at += 46 + lengthOfName + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (at !== end) throw new Error('the directory of the zip file does not end at its end');
  return files;
}

/** @param entry where the file stands in the directory */
function readContent(bytes: Buffer, entry: number, name: string): string {
  const size = bytes.readUInt32LE(entry + 20);
  const at = bytes.readUInt32LE(entry + 42);
  expectSignature(bytes, at, beforeContent);
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  if (bytes.toString('utf8', at + 30, at + 30 + bytes.readUInt16LE(at + 26)) !== name)
    throw new Error(`${name} has another name before its content`);
  const stored = bytes.subarray(start, start + size);
  const content = bytes.readUInt16LE(entry + 10) === 0 ? stored : inflateRawSync(stored);
  const isWhole =
    content.length === bytes.readUInt32LE(entry + 24) && crc32(content) === bytes.readUInt32LE(entry + 16);
  if (!isWhole) throw new Error(`${name} is damaged`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
}

function expectSignature(bytes: Buffer, at: number, signature: number): void {
  if (at < 0 || bytes.readUInt32LE(at) !== signature)
    throw new Error('this is no zip file, or a damaged one');
}
