import type { Page } from 'playwright-core';
import { writeComment } from '../support/comments.ts';
import type { Dashboard } from '../support/dashboard.ts';
import type { TestService } from '../support/service.ts';

export type Fill = Readonly<Record<string, string>>;

/** Whose form it is: somebody with a session, which can end; somebody without one. */
export type Who = 'owner' | 'operator' | 'nobody';

/** A form of our pages. */
export interface FormRow {
  /** Its route, and its button. */
  readonly route: string;
  readonly button: string;
  readonly who: Who;
  /** Makes what the form is about. @returns the address of its page */
  readonly make: (scene: Scene) => Promise<string> | string;
  /** From that address to the form. */
  readonly reach?: (page: Page, scene: Scene) => Promise<void>;
  /** Where a page has several forms with such a button. */
  readonly form?: string;
  /** What is typed. */
  readonly fill?: Fill | ((scene: Scene) => Fill);
  /** What is refused; absent: what the form takes cannot be wrong. */
  readonly wrong?: Fill;
  /** The answer is a file. */
  readonly isFile?: true;
  /** Without the session there is nothing left of what the form is about. */
  readonly endsWithSession?: true;
}

/** The people and the drop of a test. */
export interface Scene {
  readonly service: TestService;
  readonly owner: Dashboard;
  readonly slug: string;
}

/** More than any text may have. */
export const long = 'x'.repeat(5_001);

type Make = FormRow['make'];
type More = Partial<Omit<FormRow, 'who' | 'route' | 'button' | 'make'>>;

/** @param make the address of the page, or what makes it */
function rowOf(who: Who) {
  return (route: string, button: string, make: Make | string, more: More = {}): FormRow => ({
    route,
    button,
    who,
    make: typeof make === 'string' ? () => make : make,
    ...more,
  });
}

/** A form for somebody without a session. */
export const byNobody = rowOf('nobody');
export const byOwner = rowOf('owner');
export const byOperator = rowOf('operator');

/** One field: what is typed, and what is refused. */
export function field(selector: string, typed: string, refused: string) {
  return { fill: { [selector]: typed }, wrong: { [selector]: refused } };
}

export async function comment({ owner, slug }: Scene): Promise<string> {
  return (await writeComment(owner.owner, slug)).body.id;
}

export async function lockedDrop({ owner }: Scene): Promise<string> {
  return (await owner.owner.create({ passcode: 'right-passcode' })).slug;
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}
