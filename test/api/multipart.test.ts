import { expect } from 'chai';
import { parseMultipart } from '../../api/http/multipart.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { cpuMsSince } from '../support/cpu.ts';

const type = 'multipart/form-data; boundary=b';

/** Each part: its headers, and its content. */
function body(...parts: readonly (readonly [headers: string, content: string])[]): Buffer {
  const text = parts.map(([headers, content]) => `--b\r\n${headers}\r\n\r\n${content}\r\n`);
  return Buffer.from(`${text.join('')}--b--\r\n`);
}

const field = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;

describe('A multipart form', () => {
  const read = async (bytes: Uint8Array, contentType = type) => {
    const parts = await parseMultipart(contentType, bytes);
    return [...parts].map(([name, part]) => [name, part.filename, Buffer.from(part.bytes).toString()]);
  };

  it('has fields and files, byte for byte', async () => {
    const file = `${field('file', '; filename="ä b.html"')}\r\nContent-Type: text/html`;
    const form = body([field('title'), 'Ä\r\nb'], [file, '\ufeff<p>\0--b\n'], [field('empty'), '']);
    expect(await read(form)).to.deep.equal([
      ['title', '', 'Ä\r\nb'],
      ['file', 'ä b.html', '\ufeff<p>\0--b\n'],
      ['empty', '', ''],
    ]);
    const binary = Buffer.from([0, 255, 13, 10, 45, 45, 200]);
    const raw = Buffer.concat([
      Buffer.from(`--b\r\n${field('x', '; filename="x"')}\r\n\r\n`),
      binary,
      Buffer.from('\r\n--b--'),
    ]);
    expect(Buffer.from((await parseMultipart(type, raw)).get('x')?.bytes ?? [])).to.deep.equal(binary);
  });

  it('has at most 20 parts, and of several with one name the last', async () => {
    const many = Array.from({ length: 20 }, (_, i) => [field(`f${i}`), `${i}`] as const);
    expect(await read(body(...many))).to.have.length(20);
    const outcome = await parseMultipart(type, body(...many, ['', ''])).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(DropError).and.include({ code: 'invalid_arg' });
    expect(await read(body([field('a'), '1'], [field('a'), '2']))).to.deep.equal([['a', '', '2']]);
  });

  it('of 4 MB in parts of a few bytes blocks no other request', async () => {
    const bytes = Buffer.alloc(4 * 1024 * 1024, '--b\r\n\r\n\r\n');
    const before = process.cpuUsage();
    await parseMultipart(type, bytes).catch(() => undefined);
    expect(cpuMsSince(before)).to.be.below(1_000); // parsed, it takes 13 s
  });

  it('ends for every broken body: 400 invalid_arg, or the parts that are whole', async () => {
    const whole = body(
      [field('title'), 'T'],
      [`${field('file', '; filename="x.html"')}\r\nContent-Type: text/html`, `<p>${'x'.repeat(300)}`],
    );
    const broken = [
      ...Array.from({ length: whole.length }, (_, end) => whole.subarray(0, end)),
      Buffer.from('--b\r\n--b\r\n--b--'),
      Buffer.from(`--b\r\n${'x'.repeat(100_000)}`),
      Buffer.from('--b--'),
      Buffer.from(`--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--`),
      Buffer.from(`--b\r\n${field('__proto__')}\r\n\r\nx\r\n--b--`),
    ];
    for (const bytes of broken) {
      try {
        await parseMultipart(type, bytes);
      } catch (error) {
        expect(error).to.be.instanceOf(DropError).and.include({ code: 'invalid_arg' });
      }
    }
    for (const header of ['multipart/form-data', 'multipart/form-data; boundary=', 'text/plain', '']) {
      const outcome = await parseMultipart(header, whole).catch((error: unknown) => error);
      expect(outcome, header).to.be.instanceOf(DropError);
    }
  });
});
