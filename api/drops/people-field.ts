import { mixed, type TestContext } from 'yup';
import { mostPeople, readPerson, tooManyPeople } from '../../shared/drops/people.ts';
import { fail, invalid } from '../http/validate.ts';

export const examplePerson = 'ada@example.org';

const notAPerson =
  'must be an e-mail address in ASCII (ada@example.org), a domain (@example.org) or a group (group:NAME)';

/** A list that may be left out. `readPeople` reads it. */
export function peopleList(field: string, description: string) {
  const items = { type: 'string' };
  // `check` accepts any value, whatever its type says: the test below finds all faults, with better messages.
  return mixed<string[]>({ check: (value): value is string[] => true })
    .nonNullable(invalid(`${field} must be a list of texts, not null`))
    .test({
      name: 'people',
      params: {
        json: {
          type: 'array',
          description,
          examples: [[examplePerson]],
          maxItems: mostPeople,
          items,
        },
      },
      test: (value, testing) => value === undefined || checkPeople(field, value, testing),
    });
}

function checkPeople(field: string, value: unknown, testing: TestContext) {
  if (!Array.isArray(value)) return fail(testing, invalid(`${field} must be a list of texts`));
  if (value.length > mostPeople) {
    return fail(testing, invalid(tooManyPeople(field, value.length), { max_items: mostPeople }));
  }
  const wrong = value.findIndex((entry) => typeof entry !== 'string' || readPerson(entry) === null);
  if (wrong === -1) return true;
  const name = `${field}[${wrong}]`;
  return fail(testing, invalid(`${name} ${notAPerson}`), name);
}

/** The entries as they are stored. @param people checked by the rules */
export function readPeople(people: readonly string[]): string[] {
  return people.flatMap((entry) => readPerson(entry) ?? []);
}
