/** A page as people and their programs publish it, or one that harms what is around it. */
export interface GalleryPage {
  readonly title: string;
  readonly html: string;
}

const page = (title: string, body: string, head = ''): GalleryPage => ({
  title,
  html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1c2330}header{padding:40px 56px;background:#eef3fb}
main{padding:32px 56px}h1{margin:0;font-size:40px}table{border-collapse:collapse;width:100%}td,th{border:1px solid #d6dce6;padding:6px 10px}
</style>${head}</head><body>${body}</body></html>`,
});

const chart = (n: number) =>
  page(
    `Sales by week ${n}`,
    `<header><h1>Sales by week</h1><p>Region ${n}</p></header><main><svg id="c" width="1160" height="460"></svg></main><script>
const c = document.getElementById('c');
for (let i = 0; i < 52; i++) {
  const h = 60 + 300 * Math.abs(Math.sin(i * ${n + 1} / 9)), r = document.createElementNS(c.namespaceURI, 'rect');
  for (const [k, v] of Object.entries({ x: i * 22, y: 440 - h, width: 16, height: h, fill: 'hsl(${n * 47} 60% ' + (45 + i / 3) + '%)' })) r.setAttribute(k, v);
  c.append(r);
}
</script>`,
  );

const table = (n: number) =>
  page(
    `Stock list ${n}`,
    `<header style="background:hsl(${n * 61} 50% 92%)"><h1>Stock list</h1></header><main><table>${Array.from(
      { length: 1_500 },
      (_, row) =>
        `<tr>${Array.from({ length: 12 }, (_, cell) => `<td>${row * cell + n}</td>`).join('')}</tr>`,
    ).join('')}</table></main>`,
  );

const article = (n: number) =>
  page(
    `Notes of the team meeting ${n}`,
    `<main style="max-width:720px;margin:auto"><h1>Notes of the team meeting</h1>${'<p>We looked at what was promised, at what was done, and at what it did to those who use it every day. The numbers are below.</p>'.repeat(12)}</main>`,
  );

const animation = (n: number) =>
  page(
    `Animation ${n}`,
    `<canvas id="c" width="1280" height="800"></canvas><script>
const g = document.getElementById('c').getContext('2d');
requestAnimationFrame(function draw(t) {
  g.fillStyle = '#101828'; g.fillRect(0, 0, 1280, 800);
  for (let i = 0; i < 600; i++) {
    g.fillStyle = 'hsl(' + (i + t / 20 + ${n * 40}) % 360 + ' 80% 60%)';
    g.fillRect(640 + 500 * Math.sin(t / 900 + i), 400 + 300 * Math.cos(t / 700 + i * 1.3), 14, 14);
  }
  requestAnimationFrame(draw);
});
</script>`,
  );

const large = (n: number) =>
  page(
    `Report with pictures ${n}`,
    `<header><h1>Report with pictures</h1></header><main>${'<p>Text of a long report. '.repeat(40)}</main><!--${'x'.repeat(1_900_000)}-->`,
  );

const video = (n: number) =>
  page(
    `Recording ${n}`,
    `<main><h1>Recording</h1><video id="v" width="900" height="500" autoplay loop muted></video></main><script>
const c = document.createElement('canvas'); c.width = 640; c.height = 360; const g = c.getContext('2d');
setInterval(() => { g.fillStyle = 'hsl(' + performance.now() / 20 % 360 + ' 70% 50%)'; g.fillRect(0, 0, 640, 360); }, 40);
document.getElementById('v').srcObject = c.captureStream(25);
</script>`,
  );

const paragraph = '<header><h1>Harmful</h1></header>';

/** Pages that harm what is around them, by what they do. */
export const harmfulPages = {
  loop: page('Endless loop', `${paragraph}<script>for (;;);</script>`),
  laterLoop: page('Loop after load', `${paragraph}<script>setTimeout(() => { for (;;); }, 300)</script>`),
  workers: page(
    'Busy workers',
    `${paragraph}<script>for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>`,
  ),
  canvas: page(
    'Canvas of 50 MB',
    `${paragraph}<canvas id="c" width="4096" height="3200"></canvas><script>const g = document.getElementById('c').getContext('2d');g.fillStyle = '#2a6';g.fillRect(0, 0, 4096, 3200)</script>`,
  ),
  dialogs: page(
    'Dialogs',
    `${paragraph}<script>addEventListener('beforeunload', (event) => event.preventDefault());setInterval(() => { alert(1); confirm(2); prompt(3); print(); open('about:blank') }, 500)</script>`,
  ),
  sound: page(
    'Sound',
    `${paragraph}<script>const a = new AudioContext(), o = a.createOscillator();o.connect(a.destination);o.start();a.onstatechange = () => { document.title = a.state };new Audio('data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=').play().catch(() => 0)</script>`,
  ),
  scrolls: page(
    'Takes scroll and focus',
    `${paragraph}<div style="height:5000px"></div><input id="i"><script>setInterval(() => { const i = document.getElementById('i');i.scrollIntoView();i.blur();i.focus() }, 50)</script>`,
  ),
  leaves: page('Leads elsewhere', `${paragraph}<script>location = 'https://elsewhere.example/'</script>`),
  reloads: page(
    'Reloads',
    `${paragraph}<script>onload = () => setTimeout(() => location.reload(), 20)</script>`,
  ),
  fetches: page(
    'Asks for ever',
    `${paragraph}<script>setInterval(() => { for (let i = 0; i < 20; i++) fetch('?' + i, { mode: 'no-cors' }).catch(() => 0) }, 200)</script>`,
  ),
} as const satisfies Readonly<Record<string, GalleryPage>>;

/** As many pages, each kind in turn. Those that harm come at their places: the first is one of them. */
export function galleryPages(count: number): GalleryPage[] {
  const kinds = [chart, table, article, animation, large, video];
  const harmful = Object.values(harmfulPages);
  return Array.from({ length: count }, (_, n) => {
    const harm = n % 4 === 3 ? harmful[(n - 3) / 4] : undefined;
    return harm ?? (kinds[n % kinds.length] ?? chart)(n);
  });
}

const posting = (what: string) => page('Flood', `${paragraph}<script>${what}</script>`);

/** Pages that post messages to what is around them without end, by how. */
export const floodingPages = {
  'by a timer, to the frame around': posting(
    "setInterval(() => { for (let i = 0; i < 2000; i++) parent.postMessage('x', '*') })",
  ),
  'by a timer, to the dashboard': posting(
    "setInterval(() => { for (let i = 0; i < 2000; i++) top.postMessage('x', '*') })",
  ),
  'from a frame inside': posting(
    `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>setInterval(() => { for (let i = 0; i < 2000; i++) top.postMessage(1, "*") })<' + '/script>' }))`,
  ),
} as const satisfies Readonly<Record<string, GalleryPage>>;
