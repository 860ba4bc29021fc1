import type { Caller } from '../../shared/domain/account.ts';
import type { NewDropInput } from '../../shared/services/drops.ts';
import type { Titles } from '../../shared/services/titles.ts';
import { validationError } from '../http/validate.ts';
import { titleRequired, type UntitledDropInput } from './requests.ts';

/**
 * A new drop that was sent without a title has the title of its document.
 * @param otherwise how else the client can give a title, for the error
 * @throws DropError `title_required` if the document has none; as `Titles.find`
 */
export async function withTitle(
  titles: Titles,
  caller: Caller,
  input: UntitledDropInput,
  otherwise: string,
): Promise<NewDropInput> {
  const title = input.title ?? (await titles.find(caller, input.html));
  if (title !== null) return { ...input, title };
  const message = `${titleRequired.message}: give the document a <title> in its head, or ${otherwise}`;
  throw validationError([{ field: 'title', ...titleRequired, message }]);
}
