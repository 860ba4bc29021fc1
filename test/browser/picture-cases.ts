/** A small document whose pictures have a size on disk. */
export interface PictureCase {
  readonly id: string;
  readonly html: string;
  readonly css?: string;
  /** A style sheet gives the height: the service cannot know it, so only the width is judged. */
  readonly anyHeight?: true;
  /** It cannot shrink: what is around it may scroll. */
  readonly mayOverflow?: true;
}

/** `/img/WxH.png` is a picture of that size. */
const address = (width: number, height: number) => `/img/${width}x${height}.png`;
const image = (width: number, height: number, attributes = '') =>
  `<img src="${address(width, height)}" ${attributes}>`;
const long =
  'Some words that fill a line of a column and go on in the next one until the column is full. '.repeat(5);
const short = 'Short text';

export const pictureCases: readonly PictureCase[] = [
  // reported
  {
    id: 'lcov-bars',
    html: `<table width="100%" border=0 cellspacing=1><tr><td>file/a.c</td><td align=center><table border=0 cellspacing=0 cellpadding=1><tr><td style="background:#000">${image(1, 1, 'width=67 height=10 alt=x')}${image(1, 1, 'width=33 height=10 alt=x')}</td></tr></table></td><td>67.0%</td><td>67 / 100</td></tr></table>`,
  },
  { id: 'thumb-cover-tall', html: image(400, 800, 'width=160 height=90 style="object-fit:cover"') },
  {
    id: 'thumb-cover-class',
    html: image(400, 800, 'class=t width=160 height=90'),
    css: '.t{object-fit:cover}',
  },
  { id: 'pct-width-h40', html: image(3, 1, 'width="100%" height=40') },
  { id: 'avatar-48-cover', html: image(400, 200, 'width=48 height=48 style="object-fit:cover"') },
  { id: 'spacer-1x30', html: `a${image(1, 1, 'width=1 height=30')}b` },
  {
    id: 'td-nat64-td100',
    html: `<table><tr><td>${image(64, 64)}</td><td style="width:100%">${long}</td></tr></table>`,
  },
  {
    id: 'svg-abs-w0',
    html: `<div style="position:relative;width:0;height:40px"><svg width=30 height=30 style="position:absolute"><rect width=30 height=30 /></svg></div>`,
  },
  {
    id: 'sprite-300-in-100',
    html: `<div style="overflow:hidden;width:100px;height:60px">${image(300, 60)}</div>`,
  },
  {
    id: 'sprite-decl',
    html: `<div style="overflow:hidden;width:100px;height:60px">${image(300, 60, 'width=300 height=60')}</div>`,
  },
  {
    id: 'sprite-icon-16',
    html: `<span style="display:inline-block;overflow:hidden;width:16px;height:16px">${image(160, 16, 'style="margin-left:-32px"')}</span> text`,
  },
  // photos
  { id: 'photo-none', html: image(1600, 900) },
  { id: 'photo-decl', html: image(1600, 900, 'width=1600 height=900') },
  { id: 'photo-decl-2x', html: image(1600, 900, 'width=800 height=450') },
  { id: 'photo-widthonly', html: image(1600, 900, 'width=800') },
  { id: 'photo-heightonly', html: image(1600, 900, 'height=450') },
  { id: 'photo-heightonly-60', html: image(1600, 160, 'height=60') },
  {
    id: 'badge-heightonly',
    html: `<p>${image(200, 40, 'height=20')} ${image(240, 40, 'height=20')} ${image(300, 40, 'height=20')}</p>`,
  },
  { id: 'logo-heightonly-up', html: image(50, 20, 'height=60') },
  { id: 'css-width-600', html: image(1600, 900, 'style="width:600px"') },
  {
    id: 'css-w-h-600x200-cover',
    html: image(1600, 900, 'style="width:600px;height:200px;object-fit:cover"'),
    anyHeight: true,
  },
  { id: 'css-w-h-600x338', html: image(1600, 900, 'class=x'), css: '.x{width:600px;height:338px}' },
  {
    id: 'css-pct100-auto',
    html: image(1600, 900, 'width=1600 height=900 class=x'),
    css: '.x{width:100%;height:auto}',
  },
  {
    id: 'css-maxw-auto',
    html: image(1600, 900, 'width=1600 height=900'),
    css: 'img{max-width:100%;height:auto}',
  },
  {
    id: 'css-maxw-auto-lying',
    html: image(800, 400, 'width=300 height=300'),
    css: 'img{max-width:100%;height:auto}',
  },
  {
    id: 'css-maxw-auto-lying-big',
    html: image(1600, 400, 'width=900 height=900'),
    css: 'img{max-width:100%;height:auto}',
  },
  {
    id: 'css-maxw-none-map',
    html: `<div style="overflow:auto;width:340px;height:200px">${image(800, 600, 'style="max-width:none"')}</div>`,
  },
  {
    id: 'css-w320-hattr90-cover',
    html: image(160, 90, 'width=160 height=90 class=x'),
    css: '.x{width:320px;object-fit:cover}',
  },
  {
    id: 'css-w100-hattr200-cover',
    html: `<div style="width:300px">${image(800, 600, 'width=400 height=200 class=x')}</div>`,
    css: '.x{width:100%;object-fit:cover}',
  },
  {
    id: 'css-bar-60pct',
    html: `<div style="width:200px">${image(1, 1, 'height=10 style="width:60%"')}</div>`,
  },
  { id: 'css-maxheight', html: image(800, 600, 'class=x'), css: '.x{max-height:200px}' },
  {
    id: 'css-em-icon',
    html: `<p>Text ${image(64, 64, 'class=i')} text</p>`,
    css: '.i{width:1.2em;height:1.2em;vertical-align:middle}',
  },
  {
    id: 'padded-decl-1200',
    html: `<div style="padding:24px 40px">${image(1200, 600, 'width=1200 height=600')}</div>`,
  },
  { id: 'padded-none-1200', html: `<div style="padding:24px 40px">${image(1200, 600)}</div>` },
  {
    id: 'padded-decl-320',
    html: `<div style="padding:10px 30px">${image(320, 200, 'width=320 height=200')}</div>`,
  },
  {
    id: 'centered-800-col',
    html: `<div style="max-width:800px;margin:auto;padding:0 16px">${image(1600, 900)}<p>${long}</p></div>`,
  },
  {
    id: 'centered-800-decl',
    html: `<div style="max-width:800px;margin:auto;padding:0 16px">${image(1600, 900, 'width=1600 height=900')}</div>`,
  },
  {
    id: 'side-col-decl1200',
    html: `<div style="display:flex"><div style="flex:0 0 25%">menu</div><div style="flex:1;min-width:0">${image(1200, 400, 'width=1200 height=400')}</div></div>`,
  },
  { id: 'figure-none', html: `<figure>${image(900, 500)}<figcaption>${short}</figcaption></figure>` },
  {
    id: 'figure-decl',
    html: `<figure>${image(900, 500, 'width=900 height=500')}<figcaption>${short}</figcaption></figure>`,
  },
  {
    id: 'figure-table',
    html: `<figure style="display:table">${image(300, 200, 'width=300 height=200')}<figcaption style="display:table-caption;caption-side:bottom">${long}</figcaption></figure>`,
  },
  {
    id: 'figure-fitcontent',
    html: `<figure style="width:fit-content;border:1px solid">${image(240, 160)}<figcaption>${short}</figcaption></figure>`,
  },
  {
    id: 'figure-mincontent',
    html: `<figure style="width:min-content;margin:0">${image(240, 160)}<figcaption>${long}</figcaption></figure>`,
  },
  {
    id: 'figure-mincontent-decl',
    html: `<figure style="width:min-content;margin:0">${image(240, 160, 'width=240 height=160')}<figcaption>${long}</figcaption></figure>`,
  },
  { id: 'bar-1x1-600', html: image(1, 1, 'width=600 height=12') },
  {
    id: 'hero-1200x300-cover',
    html: image(1600, 900, 'width=1200 height=300 class=x'),
    css: '.x{object-fit:cover}',
  },
  // grid
  {
    id: 'grid-3-none',
    html: `<div style="display:grid;grid-template-columns:repeat(3,1fr);gap:8px">${image(600, 400).repeat(3)}</div>`,
  },
  {
    id: 'grid-3-decl',
    html: `<div style="display:grid;grid-template-columns:repeat(3,1fr);gap:8px">${image(600, 400, 'width=600 height=400').repeat(3)}</div>`,
  },
  {
    id: 'grid-auto-text',
    html: `<div style="display:grid;grid-template-columns:auto 1fr;gap:8px"><div>${image(96, 96)}</div><p>${long}</p></div>`,
  },
  {
    id: 'grid-auto-text-decl',
    html: `<div style="display:grid;grid-template-columns:auto 1fr;gap:8px"><div>${image(96, 96, 'width=96 height=96')}</div><p>${long}</p></div>`,
  },
  {
    id: 'grid-mincontent',
    html: `<div style="display:grid;grid-template-columns:min-content 1fr;gap:8px"><div>${image(80, 80)}</div><p>${long}</p></div>`,
  },
  // flex
  { id: 'flex-img-text', html: `<div style="display:flex;gap:8px">${image(128, 128)}<p>${long}</p></div>` },
  {
    id: 'flex-imgdecl-text',
    html: `<div style="display:flex;gap:8px">${image(400, 200, 'width=128 height=128')}<p>${long}</p></div>`,
  },
  {
    id: 'flex-wrapimg-text',
    html: `<div style="display:flex;gap:8px"><div>${image(128, 128)}</div><p>${long}</p></div>`,
  },
  {
    id: 'flex-wrapimg-text-decl',
    html: `<div style="display:flex;gap:8px"><div>${image(128, 128, 'width=128 height=128')}</div><p>${long}</p></div>`,
  },
  {
    id: 'flex-2photos',
    html: `<div style="display:flex;gap:8px"><div>${image(600, 400)}</div><div>${image(600, 400)}</div></div>`,
  },
  {
    id: 'flex-2photos-decl',
    html: `<div style="display:flex;gap:8px"><div>${image(600, 400, 'width=600 height=400')}</div><div>${image(600, 400, 'width=600 height=400')}</div></div>`,
  },
  {
    id: 'flex-wrap-gallery',
    html: `<div style="display:flex;flex-wrap:wrap;gap:8px">${image(300, 200, 'width=300 height=200').repeat(4)}</div>`,
  },
  {
    id: 'flex-align-decl500',
    html: `<div style="display:flex;justify-content:center;align-items:center">${image(500, 300, 'width=500 height=300')}</div>`,
  },
  // tables
  { id: 'table-3photos', html: `<table><tr>${`<td>${image(600, 400)}</td>`.repeat(3)}</tr></table>` },
  {
    id: 'table-3photos-decl200',
    html: `<table><tr>${`<td>${image(200, 150, 'width=200 height=150')}</td>`.repeat(3)}</tr></table>`,
  },
  {
    id: 'table-photo-decl',
    html: `<table border=1><tr><td>${image(900, 500, 'width=900 height=500')}</td></tr><tr><td>${long}</td></tr></table>`,
  },
  {
    id: 'table-thumb-text',
    html: `<table border=1><tr><td>${image(120, 80, 'width=120 height=80')}</td><td>${long}</td></tr></table>`,
  },
  {
    id: 'table-thumb-text-none',
    html: `<table border=1><tr><td>${image(120, 80)}</td><td>${long}</td></tr></table>`,
  },
  {
    id: 'table-maxcontent',
    html: `<table style="width:max-content"><tr><td>${image(100, 50)}</td><td>${short}</td></tr></table>`,
  },
  {
    id: 'table-fixed',
    html: `<table style="table-layout:fixed;width:100%"><tr><td>${image(500, 300, 'width=500 height=300')}</td><td>${short}</td></tr></table>`,
  },
  {
    id: 'table-icons',
    html: `<table border=1><tr><th>Name<th>Desc</tr><tr><td>${image(16, 16)} a</td><td>${long}</td></tr><tr><td>${image(16, 16, 'width=16 height=16')} b</td><td>${long}</td></tr></table>`,
  },
  // floats, cards
  { id: 'float-left-150', html: `<p>${image(150, 150, 'style="float:left"')}${long}</p>` },
  { id: 'float-wrap-150', html: `<div><div style="float:left">${image(150, 150)}</div>${long}</div>` },
  {
    id: 'float-align-attr',
    html: `<p><img src="${address(200, 120)}" align=right width=200 height=120>${long}</p>`,
  },
  { id: 'float-wrap-900', html: `<div><div style="float:left">${image(900, 300)}</div>${long}</div>` },
  {
    id: 'card-300',
    html: `<div style="width:300px;border:1px solid;overflow:hidden">${image(300, 200, 'width=300 height=200')}<p>${short}</p></div>`,
  },
  {
    id: 'card-cover',
    html: `<div style="width:280px;overflow:hidden">${image(1200, 800, 'class=x')}</div>`,
    css: '.x{width:100%;height:160px;object-fit:cover;display:block}',
  },
  {
    id: 'card-abs-cover',
    html: `<div style="position:relative;width:280px;height:160px;overflow:hidden">${image(1200, 800, 'class=x width=1200 height=800')}</div>`,
    css: '.x{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}',
  },
  {
    id: 'inlineblock-wrap',
    html: `<span style="display:inline-block;border:1px solid">${image(120, 60)}</span>`,
  },
  { id: 'inlineblock-pct', html: `<span style="display:inline-block;padding:0 5%">${image(120, 60)}</span>` },
  {
    id: 'abs-wrap-edge',
    html: `<div style="position:relative;width:20px;height:80px"><div style="position:absolute;left:0;top:0">${image(80, 80)}</div></div>`,
  },
  {
    id: 'abs-tooltip-decl',
    html: `<div style="position:relative;width:20px;height:80px"><div style="position:absolute;left:0;top:0">${image(80, 80, 'width=80 height=80')}</div></div>`,
  },
  {
    id: 'abs-img-big-in-small',
    html: `<div style="position:relative;width:50px;height:150px">${image(200, 150, 'style="position:absolute;left:0"')}</div>`,
  },
  // picture
  {
    id: 'picture-srcset',
    html: `<picture><source media="(min-width:800px)" srcset="${address(1000, 400)}">${image(600, 400)}</picture>`,
  },
  {
    id: 'picture-decl',
    html: `<picture><source media="(min-width:800px)" srcset="${address(1000, 400)}" width=1000 height=400>${image(600, 400, 'width=600 height=400')}</picture>`,
  },
  {
    id: 'srcset-w',
    html: `<img srcset="${address(400, 200)} 400w, ${address(1600, 800)} 1600w" sizes="(min-width:800px) 800px, 100vw" src="${address(400, 200)}">`,
  },
  { id: 'srcset-2x-icon', html: `<img srcset="${address(64, 64)} 2x" src="${address(32, 32)}">` },
  // svg
  {
    id: 'svg-vb-wh',
    html: `<svg width="1200" height="400" viewBox="0 0 1200 400"><rect width=1200 height=400 fill=red /></svg>`,
  },
  {
    id: 'svg-novb-wh',
    html: `<div><svg width="1200" height="400"><rect width=1200 height=400 fill=red /></svg></div>`,
    mayOverflow: true,
  },
  { id: 'svg-vb-only', html: `<svg viewBox="0 0 600 200"><rect width=600 height=200 /></svg>` },
  { id: 'svg-vb-w100', html: `<svg width="100%" viewBox="0 0 600 200"><rect width=600 height=200 /></svg>` },
  {
    id: 'svg-vb-w100-h300',
    html: `<svg width="100%" height="300" viewBox="0 0 600 200"><rect width=600 height=200 /></svg>`,
  },
  {
    id: 'svg-icon-24',
    html: `<p>${short} <svg width=24 height=24 viewBox="0 0 24 24"><path d="M0 0h24v24z"/></svg></p>`,
  },
  {
    id: 'svg-button',
    html: `<button><svg width=16 height=16 viewBox="0 0 16 16"><path d="M0 0h16v16z"/></svg> OK</button> <button style="padding:0;width:14px"><svg width=16 height=16 viewBox="0 0 16 16"><path d="M0 0h16v16z"/></svg></button>`,
  },
  {
    id: 'svg-vbonly-inlineblock',
    html: `<span style="display:inline-block"><svg viewBox="0 0 24 24"><path d="M0 0h24v24z"/></svg></span>`,
  },
  {
    id: 'svg-em',
    html: `<p>a <svg class=i viewBox="0 0 24 24"><path d="M0 0h24v24z"/></svg> b</p>`,
    css: '.i{width:1em;height:1em}',
  },
  {
    id: 'svg-td-icon',
    html: `<table><tr><td><svg width=20 height=20><rect width=20 height=20 /></svg></td><td style="width:100%">${long}</td></tr></table>`,
  },
  {
    id: 'svg-mismatch',
    html: `<svg width="800" height="200" viewBox="0 0 400 400" preserveAspectRatio="none"><rect width=400 height=400 /></svg>`,
  },
  {
    id: 'svg-chart-500-flex',
    html: `<div style="display:flex"><div><svg width="500" height="250" viewBox="0 0 500 250"><rect width=500 height=250 /></svg></div><div><svg width="500" height="250" viewBox="0 0 500 250"><rect width=500 height=250 /></svg></div></div>`,
  },
  { id: 'svg-heightonly', html: `<svg height="40" viewBox="0 0 200 40"><rect width=200 height=40 /></svg>` },
  {
    id: 'svg-sprite-hidden',
    html: `<svg width=0 height=0 style="position:absolute"><defs><path id=a d="M0 0h9v9z"/></defs></svg><svg width=18 height=18><use href="#a"/></svg>`,
  },
  {
    id: 'svg-css-900',
    html: `<svg class=x viewBox="0 0 900 300"><rect width=900 height=300 /></svg>`,
    css: '.x{width:900px;height:300px}',
    anyHeight: true,
  },
  // slider
  {
    id: 'slider-track',
    html: `<div style="overflow:hidden;width:340px"><div style="display:flex;width:300%">${image(340, 200, 'width=340 height=200').repeat(3)}</div></div>`,
  },
  {
    id: 'slider-flexscroll',
    html: `<div style="overflow-x:auto;display:flex;gap:8px">${image(260, 160).repeat(5)}</div>`,
  },
  {
    id: 'slider-nowrap',
    html: `<div style="overflow-x:auto;white-space:nowrap">${image(260, 160, 'width=260 height=160').repeat(5)}</div>`,
  },
  {
    id: 'slider-abs-left',
    html: `<div style="overflow:hidden;position:relative;width:300px;height:150px">${image(900, 150, 'style="position:absolute;left:-300px"')}</div>`,
  },
  {
    id: 'marquee-wrap',
    html: `<div style="overflow:hidden"><div style="display:inline-flex;gap:20px">${image(120, 40).repeat(8)}</div></div>`,
  },
  {
    id: 'avatars-overlap',
    html: `<div style="display:flex">${image(200, 300, 'width=40 height=40 style="border-radius:50%;margin-left:-8px;object-fit:cover"').repeat(5)}</div>`,
  },
  {
    id: 'beforeafter',
    html: `<div style="position:relative;width:320px;height:200px"><div style="position:absolute;inset:0;width:50%;overflow:hidden">${image(320, 200, 'width=320 height=200')}</div></div>`,
  },
  {
    id: 'beforeafter-none',
    html: `<div style="position:relative;width:320px;height:200px"><div style="position:absolute;inset:0;width:50%;overflow:hidden">${image(320, 200)}</div></div>`,
  },
  // media
  { id: 'video-640', html: `<video width=640 height=360 controls></video>` },
  { id: 'video-640-wonly', html: `<video width=640 controls></video>`, anyHeight: true },
  { id: 'video-none', html: `<video controls></video>` },
  { id: 'video-320-td', html: `<table><tr><td><video width=320 height=180></video></td></tr></table>` },
  { id: 'iframe-560', html: `<iframe width="560" height="315" src="about:blank"></iframe>` },
  { id: 'iframe-100pct', html: `<iframe width="100%" height="400" src="about:blank"></iframe>` },
  {
    id: 'iframe-css-800',
    html: `<iframe src="about:blank" style="width:800px;height:600px"></iframe>`,
    anyHeight: true,
  },
  {
    id: 'iframe-ratio-wrap',
    html: `<div style="position:relative;padding-top:56.25%"><iframe width=560 height=315 src="about:blank" style="position:absolute;inset:0;width:100%;height:100%"></iframe></div>`,
  },
  {
    id: 'iframe-300x80-td',
    html: `<table><tr><td><iframe width=120 height=40 src="about:blank"></iframe></td><td style="width:100%">${long}</td></tr></table>`,
  },
  { id: 'canvas-800', html: `<canvas width=800 height=300></canvas>` },
  {
    id: 'canvas-100-td',
    html: `<table><tr><td><canvas width=100 height=20></canvas></td><td style="width:100%">${long}</td></tr></table>`,
  },
  {
    id: 'object-svg',
    html: `<object data="/img/600x400.svg" type="image/svg+xml" width=600 height=400></object>`,
  },
  { id: 'embed-svg', html: `<embed src="/img/600x400.svg" type="image/svg+xml" width=600 height=400>` },
  // others
  { id: 'inline-pct50', html: `<p>${image(800, 400, 'width="50%"')} t</p>` },
  {
    id: 'css-pct50-td',
    html: `<table width="100%"><tr><td>${image(800, 400, 'style="width:50%"')}</td></tr></table>`,
  },
  { id: 'inline-many', html: `<p>${long}${image(80, 20)} ${long}${image(20, 20)}</p>` },
  {
    id: 'math-inline',
    html: `<p>${short} ${image(340, 20, 'width=340 height=20 style="vertical-align:-4px"')} ${long}</p>`,
  },
  {
    id: 'bg-size-trick',
    html: `<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width=200 height=100 style="background:url(${address(400, 200)}) center/cover">`,
  },
  {
    id: 'author-ratio',
    html: image(800, 800, 'class=x'),
    css: '.x{width:100%;aspect-ratio:16/9;object-fit:cover}',
  },
  {
    id: 'author-ratio-wh',
    html: image(800, 800, 'width=800 height=800 class=x'),
    css: '.x{width:320px;height:auto;aspect-ratio:16/9;object-fit:cover}',
  },
  {
    id: 'nested-list',
    html: `<ul><li>a<ul><li>b<ul><li>${image(320, 160, 'width=320 height=160')}</li></ul></li></ul></li></ul>`,
  },
  {
    id: 'nested-list-none',
    html: `<ul><li>a<ul><li>b<ul><li>${image(700, 300)}</li></ul></li></ul></li></ul>`,
  },
  { id: 'blockquote-700', html: `<blockquote>${image(700, 300, 'width=700 height=300')}</blockquote>` },
  {
    id: 'link-btn',
    html: `<a style="display:inline-block;padding:4px;border:1px solid">${image(24, 24)} Go</a>`,
  },
  {
    id: 'map-usemap',
    html: `${image(300, 150, 'width=300 height=150 usemap="#m"')}<map name=m><area shape=rect coords="0,0,9,9" href="#"></map>`,
  },
  { id: 'col-layout', html: `<div style="columns:2;column-gap:10px">${image(300, 200)}<p>${long}</p></div>` },
  { id: 'input-image', html: `<input type=image src="${address(120, 40)}" width=120 height=40>` },
  {
    id: 'float-td-rowspan',
    html: `<table border=1 width=100%><tr><td rowspan=2>${image(80, 120, 'width=80 height=120')}</td><td>${short}</td></tr><tr><td>${long}</td></tr></table>`,
  },
  { id: 'width-px-attr', html: image(1600, 800, 'width="800px" height="400px"') },
  { id: 'pct-height', html: `<div style="height:100px">${image(200, 200, 'style="height:100%"')}</div>` },
  {
    id: 'pct-height-wide',
    html: `<div style="height:100px;width:60px">${image(200, 100, 'style="height:100%"')}</div>`,
  },
  { id: 'thumbs-6-cover', html: image(400, 800, 'width=160 height=90 style="object-fit:cover"').repeat(6) },
  {
    id: 'thumbs-tr-cover',
    html: `<table><tr>${`<td>${image(400, 800, 'width=110 height=70 style="object-fit:cover"')}</td>`.repeat(3)}</tr></table>`,
  },
  {
    id: 'thumbs-p-cover',
    html: `<p>${image(400, 800, 'width=320 height=180 style="object-fit:cover"')}</p>`.repeat(3),
  },
  {
    id: 'tw4-h10-wauto',
    html: image(800, 400, 'width=800 height=400 class="h10 wa"'),
    css: '@layer theme,base,components,utilities;@layer base{img{max-width:100%;height:auto}}@layer utilities{.h10{height:2.5rem}.wa{width:auto}}',
  },
  {
    id: 'tw4-maxw-none',
    html: `<div style="overflow:hidden;width:200px">${image(800, 400, 'class="mn"')}</div>`,
    css: '@layer theme,base,components,utilities;@layer base{img{max-width:100%;height:auto}}@layer utilities{.mn{max-width:none}}',
  },
  {
    id: 'tw4-cover-card',
    html: `<div style="width:250px">${image(800, 800, 'width=800 height=800 class="x"')}</div>`,
    css: '@layer base,utilities;@layer base{img{max-width:100%;height:auto}}@layer utilities{.x{width:100%;height:8rem;object-fit:cover}}',
  },
  {
    id: 'tw4-plain',
    html: image(800, 400, 'width=800 height=400'),
    css: '@layer theme,base,utilities;@layer base{img{max-width:100%;height:auto}}',
  },
];
