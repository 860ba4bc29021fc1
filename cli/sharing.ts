import { Option } from 'commander';
import type { Context } from './context.ts';
import type { Drop } from './drop.ts';
import { CliError, exitCodes, usageError } from './errors.ts';

/** So many of a list are named; of more the number. */
const namedAtMost = 5;

export function accessOption(): Option {
  const text =
    'who can read the page: link (who has its address), members (signed in), or named (see --people)';
  return new Option('--access <who>', text).choices(['link', 'members', 'named']);
}

export function peopleOption(): Option {
  const text =
    'who alone can read it, signed in: a@x.org, @x.org for its domain, or group:NAME; replaces who could; may be repeated';
  return new Option('--people <list>', text).argParser(addPeople);
}

/** @returns the entries so far, and those of this text with commas between them */
function addPeople(text: string, people: readonly string[] = []): readonly string[] {
  const added = text.split(',').map((entry) => entry.trim());
  return [...people, ...added.filter((entry) => entry !== '')];
}

/** Named people are for named access alone, so naming them asks for it. @throws CliError */
export function accessWith(
  access: string | undefined,
  people: readonly string[] | undefined,
): string | undefined {
  if (people === undefined) return access;
  if (access === undefined || access === 'named') return 'named';
  throw usageError(`--people is for --access named (got --access ${access})`);
}

/** For people; '' if everybody who has the address can read the page. */
export function describeReaders({ access, people = [] }: Drop): string {
  if (access === undefined) return '';
  if (access === 'members') return 'Everybody who is signed in to the service can read it.';
  if (people.length === 0) return 'Only you can read it.';
  const more = people.length - namedAtMost;
  const shown = people.slice(0, namedAtMost).join(', ');
  return `Only you and these can read it: ${shown}${more > 0 ? `, and ${more} more` : ''}.`;
}

/**
 * A service of an earlier release ignores what it does not know: it would publish the page for everybody.
 * @throws CliError if it is one
 */
export async function requireSharing({ api, url }: Pick<Context, 'api' | 'url'>): Promise<void> {
  try {
    await api.request('GET', '/api/shared', { query: { limit: '1' } });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status === 404) throw cannotShare(url);
    if (error.status !== 403) throw error; // the token may publish, and list nothing
  }
}

export function cannotShare(url: string): CliError {
  const message = `${url} is of an earlier release, which cannot restrict who reads a page: nothing was changed`;
  return new CliError(message, { exitCode: exitCodes.refused });
}
