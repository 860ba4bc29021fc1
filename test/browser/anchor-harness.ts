/** Runs before browser/framed.ts, which then has a viewer. Messages come at once, so that none is of an earlier edit. */
export const anchorChannel = `{
  const port = { close() {} };
  self.anchorPort = port;
  self.name = 'dropleaf ${'0'.repeat(32)}';
  self.MessageChannel = class { port1 = port; port2 = port; };
  Object.defineProperty(self, 'parent', { value: { postMessage() {} } });
}`;

/**
 * Runs in a document with browser/framed.ts, and takes the viewer's place. Each character of the document has a number, which it
 * keeps when its text is moved; copies and new characters have others. So it is known where a quote is after an edit.
 */
export const anchorHarness = `(() => {
const ignored = /[\\s\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]/;
const soon = setTimeout;
let sent = [];
const port = anchorPort;
port.postMessage = (message) => sent.push(message);
port.onmessage({ data: { paint: [] } });
let seed = 1;
const random = (below) => {
  seed = (seed + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * below);
};
const pick = (list) => list[random(list.length)];
let numbers = new WeakMap();
let last = 0;
const original = 1e9;
const textsOf = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!isHidden(node)) found.push(node);
  return found;
};
const numberAll = (root) => {
  for (const node of textsOf(root)) numbers.set(node, Array.from(node.data, () => 0).length && Array.from({ length: node.length }, () => ++last));
  for (const node of textsOf(root)) if (!numbers.get(node)) numbers.set(node, []);
};
/** Puts other text in place of a part of the node. */
const put = (node, from, to, text) => {
  const own = numbers.get(node);
  numbers.set(node, [...own.slice(0, from), ...Array.from({ length: text.length }, () => ++last), ...own.slice(to)]);
  node.data = node.data.slice(0, from) + text + node.data.slice(to);
};
/** Replaces characters one by one, so that those that stay the same keep their numbers. */
const map = (node, change) => {
  const own = numbers.get(node);
  const changed = change(node.data);
  if (changed.length !== node.length) return put(node, 0, node.length, changed);
  numbers.set(node, own.map((number, at) => changed[at] === node.data[at] ? number : ++last));
  node.data = changed;
};
/** The same text in other characters: a new unit has the number of the one from which it was made. */
const respell = (node, change) => {
  const own = numbers.get(node);
  const next = [];
  let data = '';
  for (let at = 0; at < node.length; ) {
    const [taken, made] = change(node.data, at);
    for (let n = 0; n < made.length; n++) next.push(own[at]);
    data += made;
    at += taken;
  }
  node.data = data;
  numbers.set(node, next);
};
/** By the character with its marks. */
const respellAll = (nodes, change) => {
  for (const node of nodes) respell(node, (data, at) => {
    const [found] = /^\\P{M}\\p{M}*|^\\p{M}+/u.exec(data.slice(at)) ?? [data[at]];
    return [found.length, change(found)];
  });
};
/** Where no character is divided. */
const middleOf = (node, from, to) => {
  const middle = (from + to) >> 1;
  return /[\\udc00-\\udfff]/.test(node.data[middle] ?? '') ? middle - 1 : middle;
};
const typographic = { '"': '\u201c', "'": '\u2019', '-': '\u2013' };
const plain = { '\u201c': '"', '\u201d': '"', '\u2019': "'", '\u2013': '-' };
const copy = (element) => {
  const made = element.cloneNode(true);
  numberAll(made);
  return made;
};
/** Beside its block it is the same text in the same place: either is right. */
const twin = (element) => {
  const made = element.cloneNode(true);
  const originals = textsOf(element);
  for (const [index, node] of textsOf(made).entries()) numbers.set(node, numbers.get(originals[index]));
  return made;
};
const isHidden = (node) => /^(script|style|noscript|template)$/.test(node.parentElement.localName);
/** [node, offset, number] of each character that counts, of a range between text nodes. */
const charsOf = (range) => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  walker.currentNode = range.startContainer;
  for (let node = range.startContainer; node; node = node === range.endContainer ? null : walker.nextNode()) {
    if (isHidden(node)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.length;
    for (let at = from; at < to; at++) if (!ignored.test(node.data[at])) found.push([node, at, numbers.get(node)[at]]);
  }
  return found;
};
const numbersOf = (range) => charsOf(range).map(([, , number]) => number);
const numbersIn = (root) => textsOf(root).flatMap((node) => numbers.get(node));
const blocksOf = () => [...document.body.querySelectorAll('p,li,tr,h1,h2,pre,summary')].filter((one) => one.textContent.trim() !== '');
const newText = () => 'Entirely new words ' + random(1e6) + ' stand here. ';
const newBlock = (like) => {
  const made = document.createElement(/^(LI|TR)$/.test(like.nodeName) ? like.nodeName : 'p');
  const inner = made.nodeName === 'TR' ? made.appendChild(document.createElement('td')) : made;
  inner.append(newText());
  numberAll(made);
  return made;
};
const otherWord = (word) => word.replace(/[\\p{L}\\p{N}]/gu, (char) => char === 'z' ? 'q' : 'z');

const harness = window.harness = {
  picks: [],
  /** Selects at random as a reader does, and keeps what the page reports. */
  async select(count, seedNow) {
    seed = seedNow;
    window.setTimeout = (run) => soon(run, 0);
    numberAll(document.body);
    const nodes = textsOf(document.body).filter((node) => node.data.trim() !== '');
    harness.kept = document.body.cloneNode(true);
    harness.nodes = nodes.length;
    for (let n = 0; n < count; n++) {
      const range = document.createRange();
      const first = random(nodes.length);
      const node = nodes[first];
      const from = random(node.length);
      range.setStart(node, from);
      const kind = random(5);
      const end = nodes[Math.min(nodes.length - 1, first + random(4))];
      const inside = textsOf(node.parentElement);
      if (kind === 0) { range.setStart(inside[0], 0); range.setEnd(inside.at(-1), inside.at(-1).length); }
      else if (kind === 1) range.setEnd(node, Math.min(node.length, from + 1 + random(6)));
      else if (kind === 2 && end !== node) range.setEnd(end, 1 + random(end.length));
      else {
        const words = node.data.slice(from).match(/^\\S*\\s*\\S+(\\s+\\S+){0,3}/);
        range.setEnd(node, from + (words ? words[0].length : 1));
      }
      const chars = charsOf(range);
      const low = /[\\p{M}\\udc00-\\udfff]/u; // no reader begins within a character
      if (chars.length === 0 || range.toString().length > 900 || low.test(chars[0][0].data[chars[0][1]]) || /[\\ud800-\\udbff]/.test(chars.at(-1)[0].data[chars.at(-1)[1]])) { n--; continue; }
      getSelection().removeAllRanges();
      sent = [];
      await new Promise((done) => soon(done, 0));
      await new Promise((done) => soon(done, 0));
      sent = [];
      const selected = document.createRange();
      if (kind === 0) selected.selectNodeContents(node.parentElement);
      getSelection().addRange(kind === 0 ? selected : range);
      for (let tries = 0; tries < 200 && !sent.some(({ selection }) => selection); tries++) await new Promise((done) => soon(done, 1));
      const told = sent.findLast(({ selection }) => selection)?.selection;
      harness.picks.push({ anchor: told, numbers: chars.map(([, , number]) => number), text: range.toString() });
    }
    getSelection().removeAllRanges();
    return harness.picks.map(({ anchor, text }) => ({ anchor, text }));
  },
  /** Finds them in the document as it is now. @returns the numbers of the characters of each; null: missing */
  async find(isOwn) {
    sent = [];
    CSS.highlights.clear();
    port.onmessage({ data: { paint: harness.picks.map(({ anchor }, id) => ({ ...anchor, id, position: isOwn ? anchor.position : null })) } });
    while (!sent.some(({ found }) => found)) await new Promise((done) => soon(done, 1));
    const ids = sent.findLast(({ found }) => found).found;
    const ranges = [...(CSS.highlights.get('dropleaf-comments') ?? [])];
    harness.texts = harness.picks.map((_, id) => ids.includes(id) ? charsOf(ranges[ids.indexOf(id)]).map(([node, at]) => node.data[at]).join('') : null);
    return harness.picks.map((_, id) => ids.includes(id) ? numbersOf(ranges[ids.indexOf(id)]) : null);
  },
  /** The document as it was, with the numbers that it had. */
  restore() {
    document.body.replaceWith(harness.kept.cloneNode(true));
    last = 0;
    numberAll(document.body);
    last = original;
  },
  async own() {
    const found = await harness.find(true);
    return harness.picks.map(({ numbers: expected }, id) => found[id] === null ? 'missing' : String(found[id]) === String(expected) ? 'right' : 'wrong');
  },
  async edit(kind, number, seedNow) {
    seed = seedNow;
    harness.restore();
    const target = harness.picks[number];
    const wanted = new Set(target.numbers);
    const all = textsOf(document.body);
    const inside = all.filter((node) => numbers.get(node).some((one) => wanted.has(one)));
    const node = inside[0];
    const from = numbers.get(node).findIndex((one) => wanted.has(one));
    const to = numbers.get(node).findLastIndex((one) => wanted.has(one)) + 1;
    const block = node.parentElement.closest('p,li,tr,h1,h2,pre,summary,svg') ?? node.parentElement;
    const siblings = [...block.parentElement.children].filter((one) => one.localName === block.localName);
    const other = pick(siblings.filter((one) => one !== block)) ?? block;
    const wordAt = (data, at) => {
      const start = data.slice(0, at).search(/\\S*$/);
      return [start, at + data.slice(at).search(/\\s|$/)];
    };
    const words = (change) => { for (const one of inside) change(one); };
    const before = document.body.textContent;
    // What stands in the place of the block: that a line was written anew and that it was replaced are the same text.
    let standIn = new Set();
    const ofBlock = new Set(numbersIn(block));
    const edits = {
      'a block at the start': () => document.body.prepend(newBlock(document.body)),
      'a block at the end': () => document.body.append(newBlock(document.body)),
      'a block before': () => block.before(newBlock(block)),
      'a block after': () => block.after(newBlock(block)),
      'words before the quote': () => put(node, from, from, newText()),
      'words after the quote': () => put(node, to, to, ' ' + newText()),
      'a word in the quote': () => put(node, (from + to) >> 1, (from + to) >> 1, ' new '),
      'the quote deleted': () => words((one) => { const own = numbers.get(one); const a = own.findIndex((x) => wanted.has(x)); put(one, a, own.findLastIndex((x) => wanted.has(x)) + 1, ''); }),
      'its block deleted': () => block.remove(),
      'the block before deleted': () => block.previousElementSibling?.remove(),
      'the block after deleted': () => block.nextElementSibling?.remove(),
      'the blocks around deleted': () => { block.previousElementSibling?.remove(); block.nextElementSibling?.remove(); },
      'a letter of the quote deleted': () => put(node, (from + to) >> 1, ((from + to) >> 1) + 1, ''),
      'a word of the quote changed': () => { const [a, b] = wordAt(node.data, (from + to) >> 1); map(node, (data) => data.slice(0, a) + otherWord(data.slice(a, b)) + data.slice(b)); },
      'numbers of the quote changed': () => words((one) => map(one, (data) => data.replace(/\\d/g, (digit) => (Number(digit) + 1 + random(9)) % 10))),
      'the word before changed': () => { const [a, b] = wordAt(node.data, Math.max(0, from - 2)); if (b <= from) put(node, a, b, otherWord(node.data.slice(a, b))); },
      'the word after changed': () => { const [a, b] = wordAt(node.data, Math.min(node.length, to + 2)); if (a >= to) put(node, a, b, otherWord(node.data.slice(a, b))); },
      'words on both sides': () => { put(node, to, to, ' ' + newText()); put(node, from, from, newText()); },
      'its block moved to the start': () => document.body.prepend(block),
      'its block moved to the end': () => document.body.append(block),
      'its block moved': () => other.after(block),
      'its block duplicated after it': () => block.after(twin(block)),
      'its block duplicated before it': () => block.before(twin(block)),
      'its block duplicated at the end': () => document.body.append(copy(block)),
      'swapped with the next': () => block.nextElementSibling?.after(block),
      'swapped with another': () => { if (other === block) return; const mark = document.createComment(''); block.replaceWith(mark); other.replaceWith(block); mark.replaceWith(other); },
      'all siblings reversed': () => { const parent = block.parentElement; parent.append(...siblings.reverse()); },
      'all siblings sorted': () => { const parent = block.parentElement; parent.append(...siblings.sort((a, b) => a.textContent < b.textContent ? -1 : 1)); },
      'all numbers new': () => { for (const one of all) for (const found of [...one.data.matchAll(/\\d+/g)].reverse()) { const end = found.index + found[0].length; put(one, end, end, String(10 + random(90))); }; },
      'translated': () => { for (const one of all) map(one, otherWord); },
      'wrapped in markup': () => { if (to - from < 2) return; const own = numbers.get(node); const middle = middleOf(node, from, to); const rest = node.splitText(middle); numbers.set(node, own.slice(0, middle)); numbers.set(rest, own.slice(middle)); const bold = document.createElement('b'); rest.replaceWith(bold); bold.append(rest); },
      'other white space': () => { for (const one of all) { const own = numbers.get(one); const next = []; let data = ''; for (let at = 0; at < one.length; at++) { const add = one.data[at] === ' ' ? '\\n   ' : one.data[at]; data += add; for (let n = 0; n < add.length; n++) next.push(n === 0 ? own[at] : ++last); } one.data = data; numbers.set(one, next); } },
      'all but its block removed': () => { document.body.replaceChildren(block); },
      'all removed': () => document.body.replaceChildren(),
      'half of the blocks removed': () => { for (const one of blocksOf()) if (one !== block && random(2)) one.remove(); },
      'its block and half of the others removed': () => { block.remove(); for (const one of blocksOf()) if (random(2)) one.remove(); },
      'in capitals': () => respellAll(inside, (char) => char.toUpperCase()),
      'its block divided': () => { const own = numbers.get(node); const middle = middleOf(node, from, to); const rest = node.splitText(middle); numbers.set(node, own.slice(0, middle)); numbers.set(rest, own.slice(middle)); const made = document.createElement('p'); made.append(rest); block.after(made); },
      'its block replaced by a copy of another': () => { if (other !== block) { const made = copy(other); standIn = new Set(numbersIn(made)); block.replaceWith(made); } },
      'typographic quotes and dashes': () => respellAll(all, (char) => typographic[char] ?? char),
      'plain quotes and dashes': () => respellAll(all, (char) => plain[char] ?? char),
      'composed': () => respellAll(all, (char) => char.normalize('NFC')),
      'decomposed': () => respellAll(all, (char) => char.normalize('NFD')),
      'ligatures': () => { for (const one of all) respell(one, (data, at) => data.startsWith('fi', at) ? [2, '\ufb01'] : [1, data[at]]); },
      'full width': () => respellAll(all, (char) => /^[!-~]$/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char),
      'its text replaced by that of another': () => { if (other !== block && other.textContent !== block.textContent) { block.replaceChildren(...copy(other).childNodes); standIn = new Set(numbersIn(block)); } },
    };
    edits[Object.keys(edits)[kind]]?.();
    if (kind >= Object.keys(edits).length) return null;
    await null;
    const isChanged = document.body.textContent !== before;
    if (!isChanged && kind !== 31) { last = 0; numberAll(document.body); last = original; }
    const found = await harness.find(false);
    const left = new Set(textsOf(document.body).flatMap((one) => numbers.get(one)));
    const one = (pickOf, id) => {
      const got = found[id];
      const own = new Set(pickOf.numbers);
      if (got === null) return 'missing';
      if (String(got) === String(pickOf.numbers)) return 'right';
      // A part of it is there, or was changed; and nothing else of the document.
      if (got.every((number) => standIn.has(number)) && pickOf.numbers.every((number) => ofBlock.has(number))) return 'right';
      const others = got.filter((number) => !own.has(number) && number <= original);
      return others.length <= got.length / 2 && got.some((number) => own.has(number)) ? 'right' : 'wrong';
    };
    return { name: Object.keys(edits)[kind], isChanged, html: document.documentElement.outerHTML, outcomes: harness.picks.map((each, id) => ({ outcome: one(each, id), isLeft: each.numbers.every((number) => left.has(number)), text: harness.texts[id] })), wrong: harness.picks.map((each, id) => one(each, id) === 'wrong' ? { anchor: each.anchor, got: found[id].length, id } : null).filter(Boolean) };
  },
};
})()`;
