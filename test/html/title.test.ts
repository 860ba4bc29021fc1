import { expect } from 'chai';
import { findTitle, findTitleQuickly } from '../../shared/html/title.ts';

const limits = { maxCharacters: 20, steps: 20_000 };
const find = (html: string) => findTitle(Buffer.from(html), limits);
const padding = `<style>${'x'.repeat(5_000)}</style>`;

describe('findTitle', () => {
  for (const [html, title] of [
    ['<!doctype html><title>Hello</title>', 'Hello'],
    ['\ufeff<html><head><meta charset=utf-8><title lang=en>Grüße 😀</title>', 'Grüße 😀'],
    ['<title>\n  a &amp;\t&eacute; &#x1F600; &lt;b&gt;<i> \n</title>', 'a & é 😀 <b><i>'],
    ['<title>12345678901234567890x</title>', '12345678901234567890'],
    ['<title>😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀x</title>', '😀'.repeat(20)],
    ['<title>1234567890123456789 x</title>', '1234567890123456789'],
    ['<title> </title><title>second</title>', 'second'],
    ['<title>first</title><title>second</title>', 'first'],
    ['<title>never ended', 'never ended'],
    ['<head></head><title>after head</title>', 'after head'],
    ['<script>"<title>no</title>"</script><!-- <title>no</title> --><title>yes</title>', 'yes'],
    ['<template><title>no</title></template><title>yes</title>', 'yes'],
    ['<title>a\0b</title>', 'a\ufffdb'],
    ['<title>a&#0;&#xd800;b</title>', 'a\ufffd\ufffdb'],
    ['<svg><title>no</title></svg>', null],
    ['<p>text<title>no: in body</title>', null],
    ['<title>&nbsp; \n</title>', null],
    ['<p>no title', null],
    ['', null],
  ] as const) {
    it(JSON.stringify(html), () => {
      expect(find(html)).to.deep.equal({ title, isFinal: true });
      expect(findTitleQuickly(Buffer.from(html), 20)).to.deep.equal({ title, isFinal: true });
      expect(find(padding + html.replace('\ufeff', '')).title).to.equal(title);
    });
  }

  it('in the first 4 KiB: what lies beyond is not final', () => {
    const unknown = { title: null, isFinal: false };
    expect(findTitleQuickly(Buffer.from(`${padding}<title>x</title>`), 20)).to.deep.equal(unknown);
    expect(findTitleQuickly(Buffer.from(`<title>${' '.repeat(5_000)}x</title>`), 20)).to.deep.equal(unknown);
    const early = Buffer.from(`<title>x</title>${padding}`);
    expect(findTitleQuickly(early, 20)).to.deep.equal({ title: 'x', isFinal: true });
  });
});
