import type { Connection } from 'mongoose';

/** The form that this release works on (docs/engines.md). A release whose collections, indexes or documents differ raises it by one. */
export const knownDataForm = 2;

/** Releases up to 1.0 stored no number. */
const uncounted = 1;

interface FormDocument {
  readonly _id: 'store';
  readonly form: number;
}

function formsOf(connection: Connection) {
  return connection.collection<FormDocument>('store_form');
}

export async function readDataForm(connection: Connection): Promise<number> {
  const stored = await formsOf(connection).findOne({ _id: 'store' });
  return stored?.form ?? uncounted;
}

/** Whether processes of this release must not work on that form: during a rolling release it may be one higher. */
export function isTooNew(form: number): boolean {
  return form > knownDataForm + 1;
}

/** The stored number becomes that of this release, unless it is higher. @returns whether it was lower */
export async function raiseDataForm(connection: Connection): Promise<boolean> {
  const raise = { $max: { form: knownDataForm } };
  const { modifiedCount, upsertedCount } = await formsOf(connection).updateOne({ _id: 'store' }, raise, {
    upsert: true,
  });
  return modifiedCount + upsertedCount > 0;
}

/** @throws Error that says what to do */
export async function requireDataForm(connection: Connection): Promise<void> {
  const form = await refuseNewer(connection);
  if (form >= knownDataForm) return;
  throw new Error(
    `MongoDB has form ${form} of an older release, and this release needs form ${knownDataForm}: run "bin/dropleaf.js migrate" of ` +
      'this release first; processes of the older release continue meanwhile',
  );
}

/** @returns the form @throws Error that says what to do */
export async function refuseNewer(connection: Connection): Promise<number> {
  const form = await readDataForm(connection);
  if (!isTooNew(form)) return form;
  throw new Error(
    `MongoDB has form ${form} of a newer release, and this release works beside forms up to ${knownDataForm + 1}: use the newer release`,
  );
}
