import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { usePublisher } from './publisher.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('dropleaf publish: files in other encodings', () => {
  const { path, write, publish, source, run, fails, client, env, ...publisher } = usePublisher();

  it('a page is published in UTF-8 and says so; --json and stderr say what it was', async () => {
    for (const [bytes, expected, from] of [
      [
        latin1('<!doctype html>\r\n<META CharSet=iso-8859-1 id=m><title>\x80 \xfc</title>'),
        '<!doctype html>\r\n<META CharSet=utf-8 id=m><title>€ ü</title>',
        'windows-1252',
      ],
      [
        latin1(
          '<!-- <meta charset=big5> --><meta content="text/html; charset=Shift_JIS" http-equiv=Content-Type><title>\x93\xfa',
        ),
        '<!-- <meta charset=big5> --><meta content="text/html; charset=utf-8" http-equiv=Content-Type><title>日',
        'shift_jis',
      ],
      [
        latin1("<?xml version='1.0' encoding='euc-kr'?><html><title>\xb0\xa1</title>"),
        "<?xml version='1.0' encoding='utf-8'?><html><title>가</title>",
        'euc-kr',
      ],
      [
        latin1('<meta charset=iso-2022-jp><title>\x1b$BF|\x1b(B</title>'),
        '<meta charset=utf-8><title>日</title>',
        'iso-2022-jp',
      ],
      [utf16('<meta charset=utf-16><title>ü'), '\ufeff<meta charset=utf-8><title>ü', 'utf-16le'],
      [utf16('<title>ü').swap16(), '\ufeff<title>ü', 'utf-16be'],
    ] as const) {
      write('page.html', bytes);
      const { stdout, stderr } = await run(['page.html', '--new', '--json']);
      const { slug, converted_from: converted } = JSON.parse(stdout);
      expect(await source(slug)).to.equal(expected);
      expect(converted).to.equal(from);
      expect(stderr).to.contain(`Converted from ${from} to UTF-8`);
      expect(await publish(['page.html'])).to.include({ slug, did: 'nothing' });
      expect((await client.run(['verify', 'page.html'], { env: env() })).code).to.equal(0);
    }
  });

  it('UTF-8 is published byte for byte', async () => {
    for (const text of [
      '<meta charset=utf-8><title>ü',
      '\ufeff<title>ü',
      '<meta charset=windows-1252><title>u',
    ]) {
      write('page.html', text);
      const drop = await publish(['page.html', '--new']);
      expect(await source(drop.slug)).to.equal(text);
      expect(drop).not.to.have.property('converted_from');
    }
  });

  it('a page that is not in the encoding that it names is refused, with the place', async () => {
    write('a.html', latin1('<meta charset=utf-8>\n<title>\xfc'));
    await fails(
      7,
      ['a.html'],
      [
        'a.html cannot be published. Save the file as UTF-8: it is not UTF-8 text (byte 0xFC at offset 28, line 2)',
      ],
    );
    write('a.html', latin1('<meta charset=shift_jis><title>\x93'));
    await fails(7, ['a.html'], ['it is not SHIFT_JIS text (byte 0x93 at offset 31, line 1)']);
    write('a.html', latin1('<meta charset=klingon><title>\xfc'));
    await fails(7, ['a.html'], ['it names the encoding klingon, which is not known']);
    write('a.html', latin1('\xef\xbb\xbf<meta charset=latin1><title>\xfc'));
    await fails(7, ['a.html'], ['it is not UTF-8 text (byte 0xFC']);
  });

  it('stdin, Markdown, plain text and contexts', async () => {
    const page = latin1('<meta charset=latin1><title>\xfc</title>');
    const { stdout } = await run(['-', '--json'], { input: page });
    expect(await source(JSON.parse(stdout).slug)).to.equal('<meta charset=utf-8><title>ü</title>');
    write('notes.md', utf16('# Über'));
    expect(await publish(['notes.md'])).to.include({ title: 'Über', converted_from: 'utf-16le' });
    write('log.txt', utf16('ü < a'));
    expect(await source((await publish(['log.txt', '--text'])).slug)).to.contain('<pre>\nü &lt; a</pre>');
    write('page.html', '<title>P</title>');
    const { slug } = await publish(['page.html', '--context', 'notes.md']);
    const version = await publisher.owner.get<{ context: string }>(`/api/drops/${slug}/v/1`);
    expect(version.body.context).to.equal('# Über');
    write('notes.md', latin1('# \xdcber'));
    await fails(7, ['notes.md'], ['notes.md', 'it is not UTF-8 text (byte 0xDC at offset 2, line 1)']);
  });

  it('style sheets and scripts in an encoding of their own, or in that of the page', async () => {
    write(
      'page.html',
      latin1(
        '<meta charset=windows-1251><title>\xff</title><link rel=stylesheet href=a.css charset=latin1><link rel=stylesheet href=b.css><link rel=stylesheet href=c.css><script src=a.js></script><script src=b.js charset=latin1></script><script type=module src=m.js></script>',
      ),
    );
    write('a.css', latin1('a{content:"\xfc"}'));
    write('b.css', latin1('@charset "iso-8859-15";b{content:"\xa4"}'));
    write('c.css', utf16('c{content:"ü"}'));
    write('a.js', latin1('a("\xff")'));
    write('b.js', latin1('b("\xfc")'));
    write('m.js', '\ufeffm("ü")');
    const drop = await publish(['page.html']);
    expect(await source(drop.slug)).to.equal(
      '<meta charset=utf-8><title>я</title><style>a{content:"ü"}</style><style>b{content:"€"}</style><style>c{content:"ü"}</style><script>a("я")</script><script>b("ü")</script><script type=module>m("ü")</script>',
    );
    expect(JSON.parse((await run(['page.html', '--json', '--force'])).stdout).files).to.deep.include.members([
      { path: 'b.css', bytes: 37, times: 1, converted_from: 'iso-8859-15' },
      { path: 'm.js', bytes: readFileSync(path('m.js')).length, times: 1 },
    ]);
    write('m.js', latin1('m("\xfc")'));
    await fails(
      7,
      ['page.html'],
      ['m.js: it is not UTF-8 text (byte 0xFC at offset 3, line 1) (page.html:1)'],
    );
  });
});
