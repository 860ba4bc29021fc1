import countEdits from 'damerau-levenshtein';
import { options } from './options.ts';

/** A name in the environment that is no setting, and the setting that is probably meant. */
export interface Misspelt {
  readonly name: string;
  readonly meant: string;
}

/** From this length on a name may be two edits away. In a shorter one two edits make the name of another program. */
const longName = 12;
/** Another program's, two edits away from `GITHUB_`. */
const otherPrograms = /^GITLAB_/;

/** Settings of earlier releases, and what took their place. */
const retired: ReadonlyMap<string, string> = new Map([
  ['BODIES_IN_FLIGHT_BYTES', 'BUFFERED_BYTES'],
  ['UNREAD_ANSWERS_BYTES', 'BUFFERED_BYTES'],
]);

const settings = Object.entries(options).flatMap(([name, option]) =>
  'secret' in option ? [name, `${name}_FILE`] : [name],
);

/**
 * The names that have a value and no effect, but are of an earlier release or resemble a setting. Case aside, one edit is
 * allowed, or two in a long name; an edit inserts, removes or replaces a character, or swaps two neighbours
 * (Damerau-Levenshtein). Pure.
 */
export function findMisspelt(env: Readonly<Record<string, string | undefined>>): Misspelt[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || settings.includes(name) || otherPrograms.test(name)) return [];
    const meant = retired.get(name) ?? nearest(name.toUpperCase());
    return meant === null ? [] : [{ name, meant }];
  });
}

function nearest(name: string): string | null {
  let meant: string | null = null;
  let fewest = 3;
  for (const setting of settings) {
    const allowed = setting.length < longName ? 1 : 2;
    if (Math.abs(name.length - setting.length) > allowed) continue; // it takes as many edits at least
    const edits = countEdits(name, setting).steps;
    if (edits >= fewest || edits > allowed) continue;
    meant = setting;
    fewest = edits;
  }
  return meant;
}
