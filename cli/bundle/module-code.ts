import { type ImportSpecifier, init, parse } from 'es-module-lexer/minimal';

/** What an import makes of its file. */
export type ModuleType = 'script' | 'json' | 'css';

/** An import that names its module by a literal. */
export interface Import {
  readonly specifier: string;
  /** Where the literal stands, with its quotes. */
  readonly start: number;
  readonly end: number;
  /** Whether it is a call, whose module a browser loads when the call runs. */
  readonly isDynamic: boolean;
  readonly type: ModuleType;
}

/** What starts from where the module was loaded from. */
export interface OwnAddress {
  readonly start: number;
  readonly end: number;
  readonly isResolve: boolean;
}

/** What of a code depends on where it was loaded from. Offsets are in ascending order. */
export interface ModuleCode {
  readonly imports: readonly Import[];
  /** Where it imports what it computes. */
  readonly computed: readonly number[];
  /** Where `import.meta.url` and `import.meta.resolve` stand. */
  readonly ownAddresses: readonly OwnAddress[];
  /** Whether only a module can have it. */
  readonly isModule: boolean;
}

const attributedType = /\btype["']?\s{0,20}:\s{0,20}["'](json|css)["']/;
const urlOfMeta = /\s{0,20}\.\s{0,20}(url|resolve)\b/y;
/** UTF-16 units of attributes that are read. */
const maxAttributes = 500;

/** @returns null: it cannot be read, and no browser runs it */
export async function readModuleCode(code: string): Promise<ModuleCode | null> {
  await init();
  const read = tryParse(code);
  if (read === null) return null;
  const [found, exported] = read;
  const sorted = [...found].sort((a, b) => a.s - b.s);
  return {
    imports: sorted.flatMap((one) => importOf(code, one)),
    computed: sorted.filter(({ n, d }) => n === undefined && d !== ofMeta).map(({ s }) => s),
    ownAddresses: sorted.filter(({ d }) => d === ofMeta).flatMap((one) => ownAddressOf(code, one)),
    isModule: exported.length > 0 || sorted.some(({ d }) => d < 0),
  };
}

/** In place of where a call has its argument. */
const ofMeta = -2;

function importOf(code: string, { n: specifier, s, e, d, a, se }: ImportSpecifier): Import[] {
  if (specifier === undefined || d === ofMeta) return [];
  const isDynamic = d >= 0;
  const attributes = a === -1 ? '' : code.slice(a, Math.min(se, a + maxAttributes));
  const type = attributedType.exec(attributes)?.[1];
  return [
    {
      specifier,
      start: isDynamic ? s : s - 1,
      end: isDynamic ? e : e + 1,
      isDynamic,
      type: type === 'json' || type === 'css' ? type : 'script',
    },
  ];
}

function ownAddressOf(code: string, { s: start, e }: ImportSpecifier): OwnAddress[] {
  urlOfMeta.lastIndex = e;
  const [whole, name] = urlOfMeta.exec(code) ?? [];
  return whole === undefined ? [] : [{ start, end: e + whole.length, isResolve: name === 'resolve' }];
}

function tryParse(code: string) {
  try {
    return parse(code);
  } catch {
    return null;
  }
}
