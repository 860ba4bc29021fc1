import { DropError, type ErrorDetails } from '../../shared/domain/errors.ts';

/** The arguments of tools that the API has elsewhere, by their names there. */
const argumentNames: Readonly<Record<string, string>> = {
  'If-Match': 'if_match',
  'Idempotency-Key': 'idempotency_key',
  pageSize: 'page_size',
  sortBy: 'sort_by',
  sortOrder: 'sort_order',
};
const nameInApi = new RegExp(`(?<![\\w.-])(?:${Object.keys(argumentNames).join('|')})(?![\\w.-])`, 'g');

/** The error of a service, or of a reader of the API, with the names of arguments and what the model can do next. */
export function inWordsOfTools(error: unknown): unknown {
  if (!(error instanceof DropError)) return error;
  const { code, message, details } = error;
  const next = code === 'not_found' ? ': list_drops lists the drops, list_versions the versions of one' : '';
  const [told, shown] = [rename(message) + next, details && renameFields(details)];
  const isSame = told === message && JSON.stringify(shown) === JSON.stringify(details);
  return isSame ? error : new DropError(code, told, shown, { cause: error });
}

/** Only `field` and `fields` name parts of the request. */
function renameFields(details: ErrorDetails): ErrorDetails {
  const named = Object.entries(details).filter(([key]) => key === 'field' || key === 'fields');
  const renamed = JSON.stringify(Object.fromEntries(named), (_, value) =>
    typeof value === 'string' ? rename(value) : value,
  );
  return { ...details, ...JSON.parse(renamed) };
}

function rename(text: string): string {
  return text.replace(nameInApi, (name) => argumentNames[name] ?? name);
}
