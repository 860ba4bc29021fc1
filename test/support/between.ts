/** What is opened for each test of the surrounding suite, and closed by its `close` if it has one. */
export function useEach<T extends object>(open: () => T | Promise<T>): T {
  return between(beforeEach, afterEach, open, closeOpened);
}

/** The same, opened once for all tests of the suite. */
export function useOnce<T extends object>(open: () => T | Promise<T>): T {
  return between(before, after, open, closeOpened);
}

function closeOpened(opened: { close?(): unknown } = {}): unknown {
  return opened.close?.();
}

/** What `begin` opens and `end` closes, with `undefined` where it was not opened. It can be used while tests run. */
export function between<T extends object>(
  begin: Mocha.HookFunction,
  end: (hook: () => Promise<unknown>) => unknown,
  open: () => T | Promise<T>,
  close: (opened?: T) => unknown,
): T {
  let opened: T | undefined;
  begin(async () => {
    opened = await open();
  });
  end(async () => {
    await close(opened);
    opened = undefined;
  });
  return lazily(present);

  function present(): T {
    if (opened === undefined) throw new Error('it is open only while tests run');
    return opened;
  }
}

/** What `find` returns whenever it is used, such as a store of the test that runs. */
export function lazily<T extends object>(find: () => T): T {
  // proof: every access goes to what `find` returns
  return new Proxy({} as T, {
    get(_, name) {
      const found = find();
      const value: unknown = Reflect.get(found, name);
      return typeof value === 'function' ? value.bind(found) : value; // methods of a class need it as `this`
    },
    set: (_, name, value) => Reflect.set(find(), name, value),
    ownKeys: () => Reflect.ownKeys(find()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(find(), name),
  });
}
