import { object, string } from 'yup';
import { type DropQuery, sortFields, sortOrders } from '../../shared/domain/drop.ts';
import { toPositiveInteger } from '../http/parameters.ts';
import { fail, invalid, validate } from '../http/validate.ts';
import { type FieldLimits, findMetadataEntryFault } from './requests.ts';

interface QueryLimits extends FieldLimits {
  readonly PAGE_SIZE: number;
  readonly PAGE_SIZE_MAX: number;
}

/** Prefix of the parameters that filter by metadata: `metadata.<key>=<value>`. */
export const metadataPrefix = 'metadata.';

/** No list is that long, and every store can calculate with it. */
const maxPage = 1_000_000_000;

/** The query of GET /api/drops (spec 4.4), without the metadata filters. */
export function dropQuery(limits: QueryLimits) {
  return object({
    page: integer('page', maxPage).meta({ description: 'The number of the page.', default: 1 }),
    pageSize: integer('pageSize', limits.PAGE_SIZE_MAX).meta({
      description: 'Drops on a page.',
      default: limits.PAGE_SIZE,
    }),
    sortBy: oneOf('sortBy', sortFields).meta({ description: 'The sort field.', default: 'created_at' }),
    sortOrder: oneOf('sortOrder', sortOrders).meta({ description: 'The sort order.', default: 'desc' }),
  });
}

export function createDropQueryReader(limits: QueryLimits): (query: Record<string, unknown>) => DropQuery {
  const schema = dropQuery(limits);

  return (query) => {
    const { page, pageSize, sortBy, sortOrder } = validate(schema, query, 'query');
    return {
      page: toPositiveInteger(page) ?? 1,
      pageSize: toPositiveInteger(pageSize) ?? limits.PAGE_SIZE,
      sortBy: sortFields.find((field) => field === sortBy) ?? 'created_at',
      sortOrder: sortOrders.find((order) => order === sortOrder) ?? 'desc',
      metadata: readFilters(query, limits),
    };
  };
}

/** Each `metadata.<key>=<value>` is a condition, also if a key is repeated. */
function readFilters(query: Record<string, unknown>, limits: FieldLimits): [string, string][] {
  const filters = Object.entries(query)
    .filter(([name]) => name.startsWith(metadataPrefix))
    .flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)] as const));
  return filters.map(([name, value]) => {
    const key = name.slice(metadataPrefix.length);
    const fault = findMetadataEntryFault(key, value, limits);
    // `validate` makes the error, so that it has the same details as all others.
    validate(
      string().test('metadata', (_, testing) => fault === null || fail(testing, fault, name)),
      value,
      'query',
    );
    return [key, value.toWellFormed()];
  });
}

function integer(field: string, max: number) {
  const fault = invalid(`${field} must be one integer from 1 to ${max}`, { minimum: 1, maximum: max });
  return string()
    .typeError(fault)
    .test({
      name: 'integer',
      params: { json: { type: 'integer', minimum: 1, maximum: max } },
      message: fault,
      test: (value) => value === undefined || (toPositiveInteger(value) ?? Number.POSITIVE_INFINITY) <= max,
    });
}

function oneOf(field: string, values: readonly string[]) {
  const fault = invalid(`${field} must be one of ${values.join(', ')}`, { allowed: values });
  return string()
    .typeError(fault)
    .test({
      name: 'one-of',
      params: { json: { enum: values } },
      message: fault,
      test: (value) => value === undefined || values.includes(value),
    });
}
