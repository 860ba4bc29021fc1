import countEdits from 'damerau-levenshtein';
import { options } from './options.ts';

/** A variable that is not a setting, and the setting that was probably meant. */
export interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

/** Names of at least this length may differ in two edits. A shorter name with two edits is often another program's. */
const longName = 12;
/** Variables of another program, two edits away from `GITHUB_`. */
const otherPrograms = /^GITLAB_/;

/** Settings of earlier releases and their replacements. */
const retired: ReadonlyMap<string, string> = new Map([
  ['BODIES_IN_FLIGHT_BYTES', 'BUFFERED_BYTES'],
  ['UNREAD_ANSWERS_BYTES', 'BUFFERED_BYTES'],
]);

const settings = Object.entries(options).flatMap(([name, option]) =>
  'secret' in option ? [name, `${name}_FILE`] : [name],
);

/**
 * Variables with a value that are retired settings, or within one edit of a setting, two for long names. Case does not
 * count. An edit inserts, removes or replaces a character, or swaps two neighbors (Damerau-Levenshtein).
 */
export function findMisspelled(env: Readonly<Record<string, string | undefined>>): Misspelled[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || settings.includes(name) || otherPrograms.test(name)) return [];
    const meant = retired.get(name) ?? nearestSetting(name.toUpperCase());
    return meant === null ? [] : [{ name, meant }];
  });
}

function nearestSetting(name: string): string | null {
  let nearest: string | null = null;
  let fewest = 3;
  for (const setting of settings) {
    const allowed = setting.length < longName ? 1 : 2;
    if (Math.abs(name.length - setting.length) > allowed) continue; // the difference is a lower bound of the edits
    const edits = countEdits(name, setting).steps;
    if (edits >= fewest || edits > allowed) continue;
    nearest = setting;
    fewest = edits;
  }
  return nearest;
}
