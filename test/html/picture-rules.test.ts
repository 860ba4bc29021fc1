import { expect } from 'chai';
import { planRender } from '../../shared/html/insertion.ts';
import { readPictures } from '../../shared/html/picture-rules.ts';

const read = (html: string) => readPictures(html, () => false);
const rulesOf = (html: string) => read(html).rules;
const layerOf = (html: string) => read(html).firstLayer;

describe('readPictures', () => {
  it('a declared size is kept on wide pages; on narrow ones the picture shrinks in proportion', () => {
    expect(rulesOf('<img width=800 height=450>')).to.equal(
      ':where(img[width="800"][height="450"]){max-width:none}' +
        '@media(max-width:2000px){:where(img[width="800"][height="450"]){max-width:max(100%,min(30vw,320px));height:auto;aspect-ratio:auto 800.0/450.0}}',
    );
  });

  it('small pictures and bars keep the shape that the document declares, others have that of their file', () => {
    const ratioOf = (html: string) => /aspect-ratio:([^}]*)/.exec(rulesOf(html))?.[1];
    expect(ratioOf('<img width=320 height=200>')).to.equal('320.0/200.0');
    expect(ratioOf('<img width=600 height=12>')).to.equal('600.0/12.0');
    expect(ratioOf('<img width=330 height=2000>')).to.equal('330.0/2000.0');
    expect(ratioOf('<img width=600 height=300>')).to.equal('auto 600.0/300.0');
  });

  for (const html of [
    '<img height=60>',
    '<img width="100%" height=400>',
    '<img width=0 height=300>',
    '<img width=123456 height=200>',
    '<img width="300" height="2e3">',
    `<img width='300"' height=200>`,
    `<img width='300"]){}*{color:red}' height=200>`,
    '<img>',
    '<p width=300 height=200>',
    '<svg height=400></svg>',
    '<svg viewBox="0 0 9 9"><svg width=600 height=400 viewBox="0 0 9 9"></svg></svg>',
    '<template><img width=600 height=400></template>',
    '<!-- <img width=600 height=400> -->',
    '<script>"<img width=600 height=400>"</script>',
    '<noscript><img width=600 height=400></noscript>',
    '<textarea><img width=600 height=400></textarea>',
  ])
    it(`has no rule for ${html}`, () => expect(rulesOf(html)).to.equal(''));

  it('small pictures share one rule without a percentage, so that cells have room for them', () => {
    const small =
      '<img width=67 height=10><svg width="24" height="24"></svg><img width=67 height=90><img width=96>';
    expect(rulesOf(small)).to.equal(
      ':where(img,svg,video,iframe):where([width="67"],[width="24"],[width="96"]){max-width:100vw}',
    );
    expect(rulesOf('<img width=97>')).not.to.include('100vw');
    expect(rulesOf(`<img width='9"]){}'><img width=0><img width=9em>`)).to.equal('');
  });

  it('a drawing that would be cut off shrinks as a whole, unless a script makes it scalable', () => {
    expect(rulesOf('<ul><svg width=600 height=400></svg></ul>')).to.equal(
      ':where(svg[width="600"][height="400"]:not([viewBox])){max-width:none}' +
        '@media(max-width:1200px){:where(svg[width="600"][height="400"]:not([viewBox])){zoom:clamp(.1,tan(atan2(100vw - 60px,600.0px)),1)}}',
    );
  });

  it('each element of a size has its own rule, and equal ones share it', () => {
    const elements = ['img', 'video', 'iframe', 'canvas', 'object', 'embed'];
    const html = elements.map((name) => `<${name} width=600 height=400></${name}><p>`).join('');
    expect(rulesOf(html + html)).to.equal(rulesOf(html));
    for (const name of elements) expect(rulesOf(html)).to.include(`(${name}[width="600"][height="400"]){`);
    expect(rulesOf('<svg width=460.8pt height=345.6pt viewBox="0 0 9 9"></svg>')).to.include(
      'aspect-ratio:auto 614.4/460.8',
    );
  });

  it('a picture shrinks on wider pages if lists indent it, or others may stand beside it', () => {
    const gateOf = (html: string) => /max-width:(\d+)px\)\{/.exec(rulesOf(html))?.[1];
    expect(gateOf('<img width=320>')).to.equal('340');
    expect(gateOf('<img width=300>'), 'every phone has room for it').to.equal(undefined);
    expect(gateOf('<ul><li><ul><li><img width=300></ul></ul>')).to.equal('400');
    expect(gateOf('<ul></ul></ul><img width=320>')).to.equal('340');
    expect(gateOf(`<table><tr>${'<td><img width=200>'.repeat(3)}</table>`)).to.equal('620');
    expect(gateOf(`<table><tr>${'<td><p><img width=200>'.repeat(3)}</table>`)).to.equal('620');
    expect(gateOf(`<table>${'<tr><td><img width=320>'.repeat(3)}</table>`)).to.equal('340');
    expect(gateOf('<img width=400>'.repeat(3))).to.equal('1220');
    expect(gateOf('<p><img width=400>'.repeat(3))).to.equal('420');
    expect(gateOf('<img width=320>'.repeat(3)), 'small ones wrap').to.equal('340');
  });

  it('finds the first layer of the styles, with the layers that it is in', () => {
    expect(layerOf('<style>@layer theme, base;@layer base{}</style>')).to.equal('theme');
    expect(layerOf('<style>/* @layer a; */ @layer/**/b{}</style><style>@layer c{}</style>')).to.equal('b');
    expect(layerOf('<style>@layer site.base{}</style>')).to.equal('site.base');
    expect(layerOf('<style>p{}</style><body><style>@media screen{@LAYER x{}}</style>')).to.equal('x');
    expect(layerOf('<style>@layer{p{}}@layer -x_1{}</style>')).to.equal('-x_1');
  });

  for (const html of [
    '<style>p{}</style>',
    '<style>/* @layer a; </style>',
    '<style>@layer 1a{}</style>',
    '<style>@layer a"b{}</style>',
    '<style>@layer{}</style>',
    '<!-- <style>@layer a{}</style> -->',
    '<script>"<style>@layer a{}</style>"</script>',
    '<template><style>@layer a{}</style></template>',
    '<title>@layer a{}</title><p>@layer a{}',
    `<style>@layer ${'a'.repeat(100)}{}</style>`,
  ])
    it(`finds no layer in ${html}`, () => expect(layerOf(html)).to.equal(null));

  it('stops when time runs out, and says so', () => {
    const html = '<img width=600 height=400>'.repeat(10_000);
    let looks = 0;
    expect(readPictures(html, () => ++looks > 2)).to.include({ isLate: true });
    expect(looks).to.equal(3);
    expect(planRender(Buffer.from(html), { expired: () => false }).isFullyParsed).to.equal(true);
  });
});
