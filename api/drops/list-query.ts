import { object, string } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import { apiSortFields, type DropQuery, sortOrders } from '../../shared/drops/drop-query.ts';
import { searchMaxCharacters } from '../../shared/drops/search.ts';
import { metadataPrefix, toPositiveInteger } from '../http/parameters.ts';
import {
  atMostCharacters,
  integerField,
  invalid,
  noNul,
  oneOfField,
  validate,
  validationError,
} from '../http/validate.ts';
import { findMetadataEntryFault } from './fields.ts';

const notOneText = invalid('q must be one text');

/** No list has so many pages, and every store calculates this number times the page size exactly. */
const maxPage = 1_000_000_000;

/** A query that the API accepts. */
export interface ApiDropQuery extends DropQuery {
  readonly sortBy: (typeof apiSortFields)[number];
}

const parameterNames = { pageSize: 'pageSize', sortBy: 'sortBy', sortOrder: 'sortOrder' };

/** The query of GET /api/drops (spec 4.4), without the metadata filters. @param names that errors say: tools have others */
export function dropQuery(config: Config, names = parameterNames) {
  return object({
    page: integerField('page', maxPage).meta({ description: 'The number of the page.', default: 1 }),
    pageSize: integerField(names.pageSize, config.PAGE_SIZE_MAX).meta({
      description: 'Drops on a page.',
      default: config.PAGE_SIZE,
    }),
    sortBy: oneOfField(names.sortBy, apiSortFields).meta({
      description: 'The sort field.',
      default: 'created_at',
    }),
    sortOrder: oneOfField(names.sortOrder, sortOrders).meta({
      description: 'The sort order.',
      default: 'desc',
    }),
    q: string()
      .typeError(notOneText)
      .nonNullable(notOneText)
      .test(noNul('q'))
      .test(atMostCharacters('invalid_arg', 'q', searchMaxCharacters))
      .meta({
        description:
          'Only drops with every word of this text in title, description or metadata (as key=value), in any order, also as a part of a word. Case and accents do not matter.',
        examples: ['sales may'],
      }),
  });
}

/** Reads the query of GET /api/drops, for the API, the tools of agents and the dashboard's list. */
export class DropQueryReader {
  readonly #config: Config;
  readonly #schema: ReturnType<typeof dropQuery>;

  constructor(config: Config) {
    this.#config = config;
    this.#schema = dropQuery(config);
  }

  /** @throws DropError `invalid_arg` */
  read(query: Record<string, unknown>): ApiDropQuery {
    const { page, pageSize, sortBy, sortOrder, q = '' } = validate(this.#schema, query, 'query');
    return {
      page: toPositiveInteger(page) ?? 1,
      pageSize: toPositiveInteger(pageSize) ?? this.#config.PAGE_SIZE,
      sortBy: sortBy ?? 'created_at',
      sortOrder: sortOrder ?? 'desc',
      metadata: readFilters(query, this.#config),
      ...(q.trim() !== '' && { search: q }),
    };
  }
}

/** Each `metadata.<key>=<value>` is a condition, also if a key is repeated. */
function readFilters(query: Record<string, unknown>, config: Config): [string, string][] {
  const filters = Object.entries(query)
    .filter(([name]) => name.startsWith(metadataPrefix))
    .flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)] as const));
  return filters.map(([name, value]) => {
    const key = name.slice(metadataPrefix.length);
    const fault = findMetadataEntryFault(key, value, config);
    if (fault !== null) throw validationError([{ field: name, ...fault }]);
    return [key, value];
  });
}
