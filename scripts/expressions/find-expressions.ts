import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const folders = ['api', 'bin', 'browser', 'cli', 'shared', 'worker'];
/** Methods of strings that make an expression of a text. */
const converting = new Set(['match', 'matchAll', 'search']);

/** A regular expression in a source file. */
export interface Expression {
  readonly file: string;
  /** `/a+/g`, also of `new RegExp('a+', 'g')`; of an expression that the program computes, the code that makes it. */
  readonly text: string;
  readonly isComputed: boolean;
}

/** The sources of server, client and browser. */
export interface Sources {
  readonly expressions: readonly Expression[];
  /** All names in a file; undefined: there is no such file. */
  namesIn(file: string): ReadonlySet<string> | undefined;
}

/** @param root the folder of the project @throws Error if a file cannot be parsed */
export function readSources(root: string): Sources {
  const names = new Map<string, Set<string>>();
  const expressions = sourceFiles(root).flatMap((file) => {
    const found = new Set<string>();
    names.set(file, found);
    return expressionsIn(file, readFileSync(join(root, file)), found);
  });
  return { expressions, namesIn: (file) => names.get(file) };
}

function sourceFiles(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.[jt]s$/.test(file) && !/(?:\.d\.ts$|node_modules\/|\/dist\/)/.test(file)),
  );
}

/** A node of swc's tree: what the search needs of it. */
interface Node {
  readonly type?: string;
  readonly span?: { readonly start: number; readonly end: number };
  readonly [key: string]: unknown;
}

/** @param names gets every name in the file */
function expressionsIn(file: string, source: Buffer, names: Set<string>): Expression[] {
  const found: Expression[] = [];
  const add = (text: string, isComputed: boolean) => found.push({ file, text, isComputed });
  // swc counts bytes, from 1.
  const codeOf = ({ span }: Node) => source.subarray((span?.start ?? 1) - 1, (span?.end ?? 1) - 1).toString();

  function visit(node: Node): void {
    if (node.type === 'Identifier') names.add(String(node.value));
    if (node.type === 'RegExpLiteral') add(`/${node.pattern}/${node.flags}`, false);
    else if (isConstructed(node)) {
      const literal = literalOf(argumentsOf(node));
      add(literal ?? codeOf(node), literal === null);
      visitAll(node.arguments);
    } else if (isConstructor(node)) {
      add('RegExp', true); // under another name nothing of it could be seen
    } else if (node.operator === 'instanceof') {
      visitAll(node.left);
    } else if (!isType(node)) {
      if (isConverted(node)) add(codeOf(node), true);
      Object.values(node).forEach(visitAll);
    }
  }

  function visitAll(child: unknown): void {
    if (Array.isArray(child)) child.forEach(visitAll);
    else if (typeof child === 'object' && child !== null) visit(child as Node); // proof: an object of swc's tree
  }

  visit(parseSync(source.toString(), { syntax: 'typescript', decorators: true }) as unknown as Node); // proof: as above
  return found;
}

function isType({ type = '' }: Node): boolean {
  return /^Ts(?:Type|Interface)/.test(type);
}

/** `RegExp`, `globalThis.RegExp` */
function isConstructor(node: Node): boolean {
  if (node.type === 'MemberExpression') return isConstructor(node.property as Node); // proof: swc's tree
  return node.type === 'Identifier' && node.value === 'RegExp';
}

function isConstructed(node: Node): boolean {
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  return isCall && isConstructor(node.callee as Node); // proof: swc's tree
}

/** `text.match('a+')` */
function isConverted(node: Node): boolean {
  const callee = node.callee as Node | undefined; // proof: swc's tree
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return false;
  const isText = ['StringLiteral', 'TemplateLiteral', 'BinaryExpression'].includes(
    argumentsOf(node)[0]?.type ?? '',
  );
  return isText && converting.has(String((callee.property as Node).value)); // proof: swc's tree
}

function argumentsOf(node: Node): readonly Node[] {
  const given = (node.arguments ?? []) as readonly { readonly expression: Node }[]; // proof: swc's tree
  return given.map(({ expression }) => expression);
}

/** The literal of the same expression; null: the program computes it */
function literalOf([pattern, flags, ...others]: readonly Node[]): string | null {
  const isText = (node: Node | undefined) => node?.type === 'StringLiteral';
  if (!isText(pattern) || !(flags === undefined || isText(flags)) || others.length > 0) return null;
  return String(new RegExp(String(pattern?.value), String(flags?.value ?? '')));
}
