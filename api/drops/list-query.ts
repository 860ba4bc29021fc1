import { object, string } from 'yup';
import { type DropQuery, sortFields, sortOrders } from '../../shared/domain/drop.ts';
import { toPositiveInteger } from '../http/parameters.ts';
import { type Fault, invalid, validate } from '../http/validate.ts';
import { checkMetadataKey, checkMetadataValue, type FieldLimits } from './fields.ts';

interface QueryLimits extends FieldLimits {
  readonly PAGE_SIZE: number;
  readonly PAGE_SIZE_MAX: number;
}

/** Begins the name of a filter. */
export const metadataPrefix = 'metadata.';
/** Far past the last page of anything, and small enough for every store's arithmetic. */
const maxPage = 1_000_000_000;

/** The query of GET /api/drops (spec 4.4), but for the filters. */
export function dropQuery(limits: QueryLimits) {
  return object({
    page: integer('page', maxPage, { description: 'Which page of the list.', default: 1 }),
    pageSize: integer('pageSize', limits.PAGE_SIZE_MAX, {
      description: 'Drops on a page.',
      default: limits.PAGE_SIZE,
    }),
    sortBy: oneOf('sortBy', sortFields, { description: 'What to sort by.', default: 'created_at' }),
    sortOrder: oneOf('sortOrder', sortOrders, { description: 'In which direction.', default: 'desc' }),
  });
}

/** Reads it. Unknown parameters are ignored, as everywhere. */
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

/** Each `metadata.<key>=<value>` is a condition of its own, repeated ones too. */
function readFilters(query: Record<string, unknown>, limits: FieldLimits): [string, string][] {
  const filters: [string, string][] = [];
  for (const [name, values] of Object.entries(query)) {
    if (!name.startsWith(metadataPrefix)) continue;
    const key = name.slice(metadataPrefix.length);
    for (const value of [values].flat()) {
      const fault = checkMetadataKey(key, limits) ?? checkMetadataValue(value, limits);
      validate(filterSchema(name, fault), value, 'query');
      filters.push([key, String(value).toWellFormed()]);
    }
  }
  return filters;
}

/** Lets a filter's fault take the way of all others. */
function filterSchema(name: string, fault: Fault | null) {
  return string().test('metadata', (_, { createError }) => {
    return fault === null || createError({ path: name, message: fault });
  });
}

/** @param about what the published description says beside what is checked */
function integer(field: string, max: number, about: Readonly<Record<string, unknown>>) {
  const fault = invalid(`${field} must be one integer from 1 to ${max}.`, { minimum: 1, maximum: max });
  return string()
    .typeError(fault)
    .meta({ ...about })
    .test({
      name: 'integer',
      params: { json: { type: 'integer', minimum: 1, maximum: max } },
      message: fault,
      test: (value) => {
        if (value === undefined) return true;
        const number = toPositiveInteger(value);
        return number !== null && number <= max;
      },
    });
}

function oneOf(field: string, values: readonly string[], about: Readonly<Record<string, unknown>>) {
  const fault = invalid(`${field} must be one of ${values.join(', ')}.`, { allowed: values });
  return string()
    .typeError(fault)
    .meta({ ...about })
    .test({
      name: 'one-of',
      params: { json: { enum: values } },
      message: fault,
      test: (value) => value === undefined || values.includes(value),
    });
}
