import { createRandom } from '../support/random.ts';

/** All groups are equally likely. Many are about the begin and end of head. */
const groups: readonly (readonly string[])[] = [
  [
    '<!doctype html>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    '<!doctype>',
    '<!doctype html SYSTEM "about:legacy-compat"',
  ],
  ['<html>', '<html lang=en>', '</html>', '<HTML a=1/>'],
  ['<head>', '<head id=h>', '</head>', '</HEAD >', '<head/>', '</head a="</head>">'],
  ['<body>', '<body class=b>', '</body>', '<frameset>', '<frame>', '</frameset>'],
  ['<meta charset=utf-8>', '<link rel=x>', '<base href=/>', '<bgsound>', '<basefont>'],
  ['<meta name=viewport content=a>', '<META NAME="VIEWPORT">', '<meta content="</head>">'],
  ['<title>', '</title>', '<TITLE>a</TITLE>', '<title></head></title>', '<textarea>', '</textarea>'],
  ['<script>', '</script>', '<script><!--', '<script></head></script>', '<script><!--<script></script>'],
  ['<style>', '</style>', '<style></head></style>', '</style a>', '<xmp>', '</xmp>'],
  ['<noscript>', '</noscript>', '<noscript><p></noscript>', '<noscript><link></noscript>'],
  ['<template>', '</template>', '<template><tr></template>', '<template></head></template>'],
  ['<noframes>', '</noframes>', '<noembed>', '</noembed>', '<iframe>', '</iframe>', '<plaintext>'],
  ['<svg>', '</svg>', '<math>', '<foreignObject>', '<desc>', '<mi>', '<annotation-xml encoding=text/html>'],
  ['<font color=a>', '<![CDATA[', ']]>', '<svg><title>', '<svg><style>', '<svg/>'],
  ['<select>', '</select>', '<option>', '<optgroup>', '<button>', '<form>', '</form>'],
  ['<table>', '</table>', '<tr>', '<td>', '<caption>', '<col>', '<tbody>'],
  ['<p>', '</p>', '<br>', '</br>', '<div/>', '<h1>', '<li>', '<image>', '<isindex>', '<hr>', '<img>'],
  ['<b>', '</b>', '<i a=1>', '<a>', '</a>', '<nobr>', '<x-y>', '</x-y>'],
  ['<!--', '-->', '--!>', '<!-->', '<!--->', '<!-- c -->', '<!--[if IE]>', '<![endif]-->'],
  ['<!x>', '<?x?>', '</', '<', '>', '</ a>', '</>', '<1', '<\0'],
  ['<a href="', '"', "'", '=', '/>', '<link title="', '<meta a='],
  ['&amp;', '&nbsp;', '&#32;', '&#0;', '&notit;', '&', '&#', '&#x', '&Tab;', '&lt;/head>'],
  ['\0', '\r', '\n', '\r\n', ' ', '\t', '\f', '  \n  '],
  ['text', 'é', '😀', '\ufeff', '\ufffd', '\u2028', '\u00a0', '\x0b'],
  ['<style data-dropleaf></style>', '<template><style data-dropleaf></style></template>'],
];

const beginnings = [
  '<!doctype html>',
  '<!doctype html><html><head>',
  '<head>',
  '<head><title>x</title></head>',
];

/** Documents of up to 12 random pieces; half of them begin like ordinary documents. */
export function* generateDocuments(count: number, seed: number): Generator<string> {
  const random = createRandom(seed);
  const of = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const pick = () => of(of(groups) ?? []) ?? '';
  for (let i = 0; i < count; i++) {
    let text = random() < 0.5 ? '' : (of(beginnings) ?? '');
    for (let left = Math.floor(random() * 12); left >= 0; left--) text += pick();
    yield text;
  }
}
