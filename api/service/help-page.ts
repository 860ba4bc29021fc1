import MarkdownIt from 'markdown-it';
import { type Config, splitList } from '../../shared/config/config.ts';
import { html, raw } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { sizeText } from '../html/parts.ts';
import { helpPath, securityTxtPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendPage } from '../http/send.ts';

/** GET /help: the service in plain words, for viewers and owners. */
export function helpRoutes({ services: { config }, layout }: RouteParts): readonly Route[] {
  const help = layout.page(helpPage(helpText(config)));
  return [
    open('GET', helpPath, (_req, res) => {
      res.setHeader('Cache-Control', 'no-cache');
      sendPage(res, 200, help);
    }),
  ];
}

/** @param text Markdown of ours. Each section begins with its id and title: `## viewers: I was sent a page` */
function helpPage(text: string): PageParts {
  const renderer = new MarkdownIt();
  const [intro = '', ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => {
    const [, id = '', title = '', body = ''] = /^(\w+): (.*)\n([\s\S]*)$/.exec(part) ?? [];
    return { id, title, body };
  });
  return {
    title: 'Help',
    styles: ['docs'],
    body: html`<header><h1>Help</h1>${raw(renderer.render(intro))}</header>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<article>
${sections.map(({ id, title, body }) => html`<section id="${id}"><h2>${title}</h2>\n${raw(renderer.render(body))}</section>\n`)}</article>`,
  };
}

function helpText({ HTML_MAX_BYTES, VERSIONS_PER_DROP, SECURITY_CONTACT }: Config): string {
  const contacts = splitList(SECURITY_CONTACT).map((url) => `[${url.replace(/^\w+:(\/\/)?/, '')}](<${url}>)`);
  return `Dropleaf shows HTML pages at addresses of their own. A person or a program publishes a page; everybody who has its link can read it.

## viewers: I was sent a page
- **What is it, and who made it?** Somebody published the page here and gave you its link. The bar at the top is ours; what is
  below it is theirs. We do not write or check pages, and do not say who published one: ask the person who sent you the link.
- **Is it safe?** A page runs in a sandbox: it cannot read other websites, your files, or other pages here. It can still ask you
  for something. Do not enter a password or a card number into a page that you did not expect.
- **How do I report it?** Press the title in the bar, then Report this page. You need no account. The operators of this service read the
  report, and can take the page down.
- **It asks for a passcode.** Its owner chose one: ask the person who sent you the link. After too many wrong ones the page
  accepts none for some minutes.
- **The page is not there.** The link may be incomplete, the page may have expired, or its owner or the operators may have removed
  it. Ask the person who sent you the link.

## publish: Publish a page
1. [Sign in](/sign-in/browser), and open [New](/drops/new).
2. Drop an HTML file into the window, choose it, or paste its text: up to ${sizeText(HTML_MAX_BYTES)}. Pictures, styles and
   scripts must be in the file or come from the web.
3. Give it a title, publish it, and copy the link.

We call a published page a **drop**; yours are under [Drops](/drops). Programs and agents can publish for you: see [how they
begin](/#agents) and the [API reference](/docs). If a program shows you a code, [enter the code](/sign-in).

## share: Share, lock and let expire
- **Link.** Everybody who has it can read the page. It cannot be guessed.
- **Passcode.** Viewers must enter it before they see anything, also the title. It keeps people out; it is no encryption.
- **Expiry.** From that time on the page is deleted, for you too.
- **Tags.** They sort your drops. Only you see them.

Viewers see the page, its title and description, its context if it has one, and the numbers and times of its versions. They do not
see your name, your tags, how often the page was viewed, or your other drops.

## versions: Change a page
New version publishes another file at the same address. Viewers see the latest version, and can open older ones: delete what
nobody should see. A drop has at most ${VERSIONS_PER_DROP} versions. A version can have a **context**, a text about it that
viewers open beside the page.
- **Compare** shows what changed between two versions.
- **Restore** publishes an older version again, as a new one. Nothing is lost.
- **Delete** cannot be undone. Download what you want to keep; [Account](/account) exports everything.

## never: What Dropleaf never does
- It never changes the file that you published. Shown pages get a style that keeps them inside of small screens.
- It never shows advertisements, and sets no cookie for viewers, except the one that remembers a passcode.
- It never tells you who read a page. It counts how often a page was opened.
- It never lets a page act as you: pages cannot reach your account.

## keyboard: Phone and keyboard
Everything works on a phone and without a mouse. On a phone, Share in the bar has the sheet of your phone, a link to copy and a QR
code. With a keyboard, Tab moves on, Enter and Space press, Escape closes a menu. In a page, Page Down and the arrow keys scroll
at once.

## contact: Who to ask
About what a page says: the person who sent you its link. About a page that does harm: report it, as
above.${contacts.length > 0 ? ` About a weakness of this service: ${contacts.join(', ')} ([security.txt](${securityTxtPath})).` : ''}
`;
}
