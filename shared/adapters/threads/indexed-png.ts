import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const maxColors = 256;

/**
 * A PNG with a palette: half the bytes of one with full colors, if the picture has few. Colors of which the upper five bits of
 * each channel are equal become the one among them that comes first.
 * @param pixels opaque RGBA
 * @returns null if there are more than 256 such colors
 */
export function encodeIndexedPng(pixels: Uint8Array, width: number, height: number): Buffer | null {
  const indexes = new Int16Array(1 << 15).fill(-1);
  const palette: number[] = [];
  const rows = new Uint8Array(height * (width + 1)); // each row begins with its filter: 0, none
  let colors = 0;
  for (let y = 0, from = 0; y < height; y++) {
    let to = y * (width + 1) + 1;
    for (let x = 0; x < width; x++, from += 4) {
      const [red = 0, green = 0, blue = 0] = [pixels[from], pixels[from + 1], pixels[from + 2]];
      const bucket = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
      let index = indexes[bucket] ?? -1;
      if (index < 0) {
        if (colors === maxColors) return null;
        index = colors++;
        indexes[bucket] = index;
        palette.push(red, green, blue);
      }
      rows[to++] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits of an index
  header[9] = 3; // indexed color
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
