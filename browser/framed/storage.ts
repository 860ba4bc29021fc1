import { provideCookies } from './cookies.ts';

/** UTF-16 units of names and values, as browsers count. */
const maxUnits = 5 * 1024 * 1024;

/**
 * Gives the page a `localStorage`, a `sessionStorage` and cookies where the browser refuses them: they begin empty and end with the
 * document. Pages that only touch them work. Where the page has an origin it keeps what the browser gives it.
 */
export function provideStorage(): void {
  if (!isRefused()) return;
  prepareMethods();
  for (const name of ['localStorage', 'sessionStorage']) {
    const storage = createStorage();
    Object.defineProperty(self, name, { configurable: true, enumerable: true, get: () => storage });
  }
  provideCookies();
}

function isRefused(): boolean {
  try {
    return self.localStorage === null;
  } catch {
    return true;
  }
}

/** What is in one storage. */
class Items {
  readonly #values = new Map<string, string>();
  #units = 0;

  get names(): string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** @throws DOMException `QuotaExceededError` */
  set(name: string, value: string): void {
    const units = this.#units + name.length + value.length - this.#unitsOf(name);
    if (units > maxUnits) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    this.#units = units;
    this.#values.set(name, value);
  }

  delete(name: string): void {
    this.#units -= this.#unitsOf(name);
    this.#values.delete(name);
  }

  clear(): void {
    this.#units = 0;
    this.#values.clear();
  }

  #unitsOf(name: string): number {
    const value = this.#values.get(name);
    return value === undefined ? 0 : name.length + value.length;
  }
}

const itemsOf = new WeakMap<object, Items>();

/** With items as named properties (HTML standard, 12.2.1; Web IDL, 3.9): a name that the prototype has is none. */
function createStorage(): object {
  const items = new Items();
  const isItem = (target: object, name: PropertyKey): name is string =>
    typeof name === 'string' && items.has(name) && !(name in target);
  const storage = new Proxy<object>(Object.create(Storage.prototype), {
    get: (target, name, receiver) =>
      isItem(target, name) ? items.get(name) : Reflect.get(target, name, receiver),
    has: (target, name) => isItem(target, name) || Reflect.has(target, name),
    set(target, name, value) {
      if (typeof name === 'symbol') return Reflect.set(target, name, value);
      items.set(name, `${value}`);
      return true;
    },
    defineProperty(target, name, descriptor) {
      if (typeof name === 'symbol') return Reflect.defineProperty(target, name, descriptor);
      if ('value' in descriptor) items.set(name, `${descriptor.value}`);
      return 'value' in descriptor;
    },
    deleteProperty(target, name) {
      if (isItem(target, name)) items.delete(name);
      return Reflect.deleteProperty(target, name);
    },
    ownKeys(target) {
      return [...items.names.filter((name) => isItem(target, name)), ...Reflect.ownKeys(target)];
    },
    getOwnPropertyDescriptor(target, name) {
      if (!isItem(target, name)) return Reflect.getOwnPropertyDescriptor(target, name);
      return { value: items.get(name), writable: true, enumerable: true, configurable: true };
    },
    preventExtensions: () => false,
  });
  itemsOf.set(storage, items);
  return storage;
}

/** On the browser's own prototype, whose methods take no storage of ours: a document without an origin has no other. */
function prepareMethods(): void {
  const methods = {
    getItem(this: object, ...args: unknown[]): string | null {
      return itemsFor(this, args, 1).get(`${args[0]}`) ?? null;
    },
    setItem(this: object, ...args: unknown[]): void {
      itemsFor(this, args, 2).set(`${args[0]}`, `${args[1]}`);
    },
    removeItem(this: object, ...args: unknown[]): void {
      itemsFor(this, args, 1).delete(`${args[0]}`);
    },
    clear(this: object): void {
      itemsFor(this).clear();
    },
    key(this: object, ...args: unknown[]): string | null {
      return itemsFor(this, args, 1).names[Number(args[0]) >>> 0] ?? null;
    },
    get length(): number {
      return itemsFor(this).names.length;
    },
  };
  Object.defineProperties(Storage.prototype, Object.getOwnPropertyDescriptors(methods));
}

/** @throws TypeError as the browser's own methods do */
function itemsFor(storage: object, args: readonly unknown[] = [], least = 0): Items {
  const items = itemsOf.get(storage);
  if (items === undefined) throw new TypeError('Illegal invocation');
  if (args.length < least)
    throw new TypeError(`${least} argument(s) required, but only ${args.length} present`);
  return items;
}
