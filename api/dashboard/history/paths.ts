import { ownerPath } from '../../http/paths.ts';

/** The pages about the versions of a drop. */
export function historyPaths(slug: string) {
  const drop = ownerPath(slug);
  const version = (number: number) => `${drop}/v/${number}`;
  return {
    drop,
    history: `${drop}/history`,
    compare: `${drop}/compare`,
    /** The whole difference as a file. */
    diff: `${drop}/compare/diff`,
    remove: `${drop}/delete`,
    version,
    html: (number: number) => `${version(number)}/html`,
    restore: (number: number) => `${version(number)}/restore`,
    removeVersion: (number: number) => `${version(number)}/delete`,
  };
}
