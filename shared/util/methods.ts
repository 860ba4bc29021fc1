/**
 * The properties of an object, and its methods as functions that need no `this`: those of its class, too. So a spread can
 * replace some of them.
 */
export function methodsOf<T extends object>(object: T): { [N in keyof T]: T[N] } {
  const methods: Record<string, unknown> = {};
  for (let type = object; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const name of Object.getOwnPropertyNames(type)) {
      if (name === 'constructor' || Object.hasOwn(methods, name)) continue;
      const property: unknown = Reflect.get(object, name);
      methods[name] = typeof property === 'function' ? property.bind(object) : property;
    }
  }
  return methods as T; // proof: each property under its name
}
