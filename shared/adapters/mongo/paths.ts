/** Above all keys that begin with `<root>/`, and below those of other roots: `0` comes right behind `/`. */
export function behindPathsOf(root: string): string {
  return `${root}0`;
}

/** Finds the keys that begin with `<root>/`: they are one range. @param root without `/` */
export function pathsUnder(root: string) {
  return { $gte: `${root}/`, $lt: behindPathsOf(root) };
}
