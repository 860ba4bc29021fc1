import { expect } from 'chai';
import { visibleText } from '../../shared/html/visible-text.ts';

const textOf = (html: string) => visibleText(html, { expired: () => false });

describe('visibleText', () => {
  for (const [html, lines] of [
    ['<!doctype html><title>T</title><h1>A  b\n c</h1><p>d<br>e &amp; <b>f</b>g', ['A b c', 'd', 'e & fg']],
    ['<table><tr><th>a<th>b<tr><td>1</td> <td>2</td></table>', ['a\tb', '1\t2']],
    ['<style>p::before{content:"</p>"}</style><script>"<p>x"</script>a', ['a']],
    ['<noscript>no</noscript><iframe>no</iframe><template><p>no</p></template>yes', ['yes']],
    ['a<template><template>no</template>no</template>b', ['ab']],
    ['a <td> b</td> <td></td><td>c <i> d</i></p>e', ['a\tb\tc d', 'e']],
    ['<pre>  a\n    b\n</pre> c', ['  a', '    b', 'c']],
    ['<textarea><p>a</textarea>b', ['<p>a', 'b']],
    ['<svg><style/><title/><text>a</text></svg>b', ['ab']],
    ['<svg><![CDATA[a<b]]></svg>', ['a<b']],
    ['<![CDATA[a]]><p>b', ['b']],
    ['</p></template></svg></pre>a', ['a']],
    ['<b><i>a</b>b</i><p>c</a>d', ['ab', 'cd']],
    ['a<!-- <p>no --><span hidden>b</span>', ['ab']],
    ['a\0b<script>never ended', ['ab']],
    ['a <b> b</b>\nc<pre>d </pre>', ['a b c', 'd']],
    ['<p>a<span></span> <i></i> b', ['a b']],
    ['', []],
  ] as const) {
    it(JSON.stringify(html), () => {
      expect(textOf(html)).to.equal(lines.map((line) => `${line}\n`).join(''));
    });
  }

  it('100,000 open elements are no deeper than one', () => {
    expect(textOf(`${'<div>'.repeat(100_000)}a`)).to.equal('a\n');
    expect(textOf(`${'<b><i>'.repeat(100_000)}a</b>b`)).to.equal('ab\n');
  });

  it('a paragraph of 1 MB, whose time must grow with its length', () => {
    expect(textOf(`<p>${'<b>a</b> b\n'.repeat(100_000)}`)?.length).to.equal(400_000);
  });

  it('null: time runs out, or a tag has more attributes than fit into the time', () => {
    expect(visibleText('<p>a', { expired: () => true })).to.equal(null);
    const attributes = Array.from({ length: 250_000 }, (_, i) => i.toString(36)).join(' ');
    expect(textOf(`<p ${attributes}>a`)).to.equal(null);
  });
});
