import { type Config, splitList } from '../../shared/config/config.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { countOf, sizeText } from '../html/parts.ts';
import {
  browserSignInPath,
  dashboardPaths,
  helpPath,
  newDropPath,
  securityTxtPath,
  servicePaths,
  signInPaths,
} from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendPage } from '../http/send.ts';

/** GET /help: the service in plain words, for viewers and owners. */
export function helpRoutes({ services: { config }, layout }: RouteParts): readonly Route[] {
  const help = layout.page(helpPage(config));
  return [
    open('GET', helpPath, (_req, res) => {
      res.setHeader('Cache-Control', 'no-cache');
      sendPage(res, 200, help);
    }),
  ];
}

interface Section {
  /** In the address: `/help#viewers`. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

function helpPage(config: Config): PageParts {
  const sections = [
    viewers,
    publishing(config),
    sharing,
    versions(config),
    limits,
    keyboard,
    contacts(config),
  ];
  return {
    title: 'Help',
    styles: ['docs'],
    body: html`<header>
<h1>Help</h1>
<p>Dropleaf shows HTML pages at addresses of their own. A person or a program publishes a page; everybody who has its link can read it.</p>
</header>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<article>
${sections.map(({ id, title, body }) => html`<section id="${id}"><h2>${title}</h2>\n${body}</section>\n`)}</article>`,
  };
}

const viewers: Section = {
  id: 'viewers',
  title: 'I was sent a page',
  body: html`<h3>What is it, and who made it?</h3>
<p>Somebody published the page here and gave you its link. The narrow bar at the top is ours; what is below the bar is theirs. We do
not write or check pages, and we do not say who published one: ask the person who sent you the link.</p>
<h3>Is it safe?</h3>
<p>A page runs in a sandbox: it cannot read other websites, your files, or other pages here. It can still ask you for something. Do
not enter a password or a card number into a page that you did not expect.</p>
<h3>How do I report it?</h3>
<p>Press ⋯ in the bar, then <b>Report this page</b>. You need no account. The operators of this service read the report and can take
the page down.</p>
<h3>It asks for a passcode</h3>
<p>Its owner has chosen one: ask the person who sent you the link. After too many wrong passcodes the page accepts none for a few
minutes.</p>
<h3>The page is not there</h3>
<p>The link may be incomplete, or the page may have expired, or its owner or the operators may have removed it. Ask the person who
sent you the link.</p>`,
};

const publishing = ({ HTML_MAX_BYTES }: Config): Section => ({
  id: 'publish',
  title: 'Publish a page',
  body: html`<ol>
<li><a href="${browserSignInPath('')}">Sign in</a>.</li>
<li>Open <a href="${newDropPath}">New</a>, and drop an HTML file into the window, choose it, or paste its text. It may have up to
${sizeText(HTML_MAX_BYTES)}; pictures, styles and scripts must be in the file or come from the web.</li>
<li>Give it a title and publish it. Then copy the link.</li>
</ol>
<p>We call a published page a <b>drop</b>. All of yours are under <a href="${dashboardPaths.drops}">Drops</a>. Programs and agents can publish
for you: <a href="/#agents">how they begin</a>, and the <a href="${servicePaths.docs}">API reference</a>. If a program shows you a code,
<a href="${signInPaths.code}">enter the code</a>.</p>`,
});

const sharing: Section = {
  id: 'share',
  title: 'Share, lock and let expire',
  body: html`<ul>
<li><b>Link.</b> Everybody who has it can read the page. It cannot be guessed.</li>
<li><b>Passcode.</b> Viewers must enter it before they see anything, also the title. It keeps people out; it is no encryption.</li>
<li><b>Expiry.</b> From that time on the page is deleted, for you too.</li>
<li><b>Tags.</b> They sort your drops. Only you see them.</li>
</ul>
<p>Viewers see the page, its title and description, its context if it has one, and the numbers and times of its versions. They do not
see your name, your tags, how often the page was viewed, or your other drops.</p>`,
};

const versions = ({ VERSIONS_PER_DROP }: Config): Section => ({
  id: 'versions',
  title: 'Change a page',
  body: html`<p>On the page of a drop, <b>New version</b> publishes another file at the same address. Viewers see the latest version, and can open
older ones: delete a version that nobody should see. A drop has at most ${countOf(VERSIONS_PER_DROP, 'version')}.</p>
<ul>
<li><b>Compare</b> shows what changed between two versions.</li>
<li><b>Restore</b> publishes an older version again, as a new one. Nothing is lost.</li>
<li><b>Delete</b> cannot be undone. Download what you want to keep; <a href="${dashboardPaths.account}">Account</a> exports everything.</li>
</ul>`,
});

const limits: Section = {
  id: 'never',
  title: 'What Dropleaf never does',
  body: html`<ul>
<li>It never changes the file that you published. Shown pages get a style that keeps them inside of small screens.</li>
<li>It never shows advertisements, and sets no cookie for viewers, except the one that remembers a passcode.</li>
<li>It never tells you who read a page. It counts how often a page was opened.</li>
<li>It never lets a page act as you: pages cannot reach your account.</li>
</ul>`,
};

const keyboard: Section = {
  id: 'keyboard',
  title: 'Phone and keyboard',
  body: html`<p>Everything works on a phone and without a mouse. On a phone, Share in the bar opens the sheet of your phone, a link to copy and a QR
code. With a keyboard, Tab moves on, Enter and Space press, Escape closes a menu. In a page, Page Down and the arrow keys scroll at once.</p>`,
};

const contacts = ({ SECURITY_CONTACT }: Config): Section => {
  const addresses = splitList(SECURITY_CONTACT);
  const links = addresses.map(
    (address, i) => html`${i > 0 && ', '}<a href="${address}">${address.replace(/^\w+:(\/\/)?/, '')}</a>`,
  );
  return {
    id: 'contact',
    title: 'Who to ask',
    body: html`<p>About what a page says: the person who sent you its link. About a page that does harm: report it, as above.
${addresses.length > 0 && html`About a weakness of this service: ${links} (<a href="${securityTxtPath}">security.txt</a>).`}</p>`,
  };
};
