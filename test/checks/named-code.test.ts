import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

const notOurs = /(^|\/)(node_modules|dist|coverage|\.git)(\/|$)/;

/** Every file and folder of the project; a folder ends with `/`. */
const entries = listEntries('');
const files = entries.filter((entry) => !entry.endsWith('/'));
const folderNames = new Set(entries.filter((entry) => entry.endsWith('/')).map((entry) => lastName(entry)));

/** Without a folder before it, only such a name is one of our files: `drops.json` is in an archive. */
const ownName = /\.(ts|js|sql|sh|ya?ml|conf|vcl)$/;
/** With a folder that is none of ours, it is a path all the same; `text/html` is none. */
const sourceName = /\.(ts|js|sql|sh|md|css)$/;
/** `RESOURCE` and `NAME` stand for any name, as `*` does. */
const placeholder = /\*|\b(?:RESOURCE|NAME)\b/g;

/** What the build makes. */
const built = new Set(['dist/']);

function listEntries(folder: string): string[] {
  return readdirSync(folder || '.', { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (notOurs.test(path)) return [];
    return entry.isDirectory() ? [`${path}/`, ...listEntries(`${path}/`)] : [path];
  });
}

function lastName(folder: string): string {
  return folder.split('/').at(-2) ?? '';
}

/** Whether the code of a document is meant as a file or folder of the project. */
function isPath(code: string): boolean {
  if (!/^[\w.*-]+(\/[\w.*-]+)*\/?$/.test(code) || built.has(code)) return false;
  if (!code.includes('/')) return ownName.test(code);
  const first = code.split('/')[0] ?? '';
  return folderNames.has(first) || first === 'RESOURCE' || /^[a-z].*\/$/.test(code) || sourceName.test(code);
}

/** The files and folders whose path ends so. The name of a test may lack its end: `browser/hostile-drop`. */
function findPaths(name: string): string[] {
  const pattern = name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(placeholder, '[^/]*');
  const end = /\/$|\.\w+$/.test(name) && !name.endsWith('.contract') ? '' : '(/|\\.[\\w.-]+)?';
  const path = new RegExp(`(^|/)${pattern}${end}$`);
  return entries.filter((entry) => path.test(entry));
}

/** What `text` names in code and what the project does not have, as `document:line: name`. */
function findAbsent(document: string, text: string): string[] {
  let isBlock = false;
  return text.split('\n').flatMap((line, index) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isBlock = !isBlock;
    const absent = isBlock || isFence ? absentInMap(document, line) : absentInLine(document, line);
    return absent.map((name) => `${document}:${index + 1}: ${name}`);
  });
}

/** The block of code of ARCHITECTURE.md is a map; those of other documents are commands and their output. */
function absentInMap(document: string, line: string): string[] {
  if (document !== 'ARCHITECTURE.md') return [];
  const names = line.match(/(?<![\w/.])[\w*./-]+(\/|\.(ts|css|js|md))(?![\w/])/g) ?? [];
  return names.filter((name) => findPaths(name).length === 0);
}

function absentInLine(document: string, line: string): string[] {
  const codes = [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const links = [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('/') && !existsSync(join(dirname(document), link)));
  const parts = [...line.matchAll(/`(\w+)` (?:in|of) `([\w./-]+\.ts)`/g)]
    .map(([, name = '', path = '']) => `${path}:${name}`)
    .filter(isAbsent);
  return [...codes.filter(isAbsent), ...links, ...parts];
}

/** @param code such as `drops/drop.ts`, `drops/drop.ts:Drop`, or anything else that stands in code */
function isAbsent(code: string): boolean {
  const [, path = code, name = null] = /^([\w./-]+\.ts):([A-Za-z_]\w*)$/.exec(code) ?? [];
  if (!isPath(path)) return false;
  const found = findPaths(path);
  if (name === null) return found.length === 0;
  const word = new RegExp(`\\b${name}\\b`);
  return !found.some((file) => word.test(readFileSync(file, 'utf8')));
}

/** What a comment cites of docs, and what is not there: `docs/decisions/pages.md, A view`. */
function findAbsentCitations(file: string, text: string): string[] {
  return [...text.matchAll(/docs\/[\w./-]+\.md(?:, ([^.,:;)\n*]+))?/g)].flatMap(([citation, part = '']) => {
    const document = citation.split(',')[0] ?? '';
    if (!existsSync(document)) return [`${file}: ${document}`];
    const isCited = document.startsWith('docs/decisions/') && part !== '';
    if (!isCited || hasPart(readFileSync(document, 'utf8'), part.trim())) return [];
    return [`${file}: ${citation}`];
  });
}

/** Whether the document has a row or a heading of that name. */
function hasPart(text: string, name: string): boolean {
  return text.split('\n').some((line) => line.startsWith(`| ${name}`) || line.endsWith(`# ${name}`));
}

describe('What documents and comments name', () => {
  const documents = files.filter((file) => file.endsWith('.md'));

  it('documents name files, folders and names of the code that exist', () => {
    expect(documents).to.include.members(['README.md', 'docs/decisions/pages.md', 'deploy/README.md']);
    const absent = documents.flatMap((document) => findAbsent(document, readFileSync(document, 'utf8')));
    expect(absent).to.deep.equal([]);
  });

  it('comments cite documents, rows and headings that exist', () => {
    const sources = files.filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('named-code.test.ts'));
    const absent = sources.flatMap((source) => findAbsentCitations(source, readFileSync(source, 'utf8')));
    expect(absent).to.deep.equal([]);
  });

  it('wrong names are reported with document and line', () => {
    const text = [
      'See `shared/drops/drop.ts`, `shared/drps/drop.ts` and `text/html`.',
      'A [link](docs/none.md), `store.tss` and `no-such-file.ts`.',
      '`shared/drops/drop.ts:versionRecord`, `shared/drops/drop.ts:noRecord`; `noField` in `drops/drop.ts`.',
      '`shared/nothing/`, `api/RESOURCE/`, `shared/RESOURCE/none.ts`, `api/mcp/*-tools.ts`, `api/mcp/*-none.ts`',
    ];
    expect(findAbsent('README.md', text.join('\n'))).to.deep.equal([
      'README.md:1: shared/drps/drop.ts',
      'README.md:2: no-such-file.ts',
      'README.md:2: docs/none.md',
      'README.md:3: shared/drops/drop.ts:noRecord',
      'README.md:3: drops/drop.ts:noField',
      'README.md:4: shared/nothing/',
      'README.md:4: shared/RESOURCE/none.ts',
      'README.md:4: api/mcp/*-none.ts',
    ]);
    expect(
      findAbsent('ARCHITECTURE.md', '```\napi/   the web process\n  nowhere/   no folder\n```'),
    ).to.deep.equal(['ARCHITECTURE.md:3: nowhere/']);
    expect(findAbsentCitations('a.ts', '// docs/decisions.md, A view')).to.deep.equal([
      'a.ts: docs/decisions.md',
    ]);
    expect(findAbsentCitations('a.ts', '/** (docs/decisions/pages.md, A look). */')).to.have.length(1);
    expect(findAbsentCitations('a.ts', '/** (docs/decisions/pages.md, A view). */')).to.deep.equal([]);
  });
});
