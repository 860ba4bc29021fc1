import { mixed, object } from 'yup';
import type { Services } from '../../shared/open-services.ts';
import { createDropQueryReader, dropQuery, metadataPrefix } from '../drops/list-query.ts';
import { presentDropList } from '../drops/presenter.ts';
import { invalid, validate } from '../http/validate.ts';
import { isData, slug, versionNumber } from './arguments.ts';
import { dropResult } from './results.ts';
import { type Arguments, defineTool, type Tool } from './tool.ts';
import { windowArguments, windowOf } from './window.ts';

/** The tools that change nothing. */
export function readingTools({ drops, config }: Services): readonly Tool[] {
  const readQuery = createDropQueryReader(config);
  const { page, pageSize, sortBy, sortOrder, q } = dropQuery(config).fields;

  const get = defineTool({
    name: 'get_drop',
    title: 'Read a page',
    description: `Reads one of the user's drops, with its etag. With version, offset or length also a part of its HTML: to read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: getInput,
    async run(caller, args) {
      const { slug, version, ...window } = validate(getInput, args, 'arguments');
      const drop = await drops.get(caller, slug);
      const { address, structured } = dropResult(drop, config.BASE_URL);
      const isWanted = [version, window.offset, window.length].some((given) => given !== undefined);
      if (!isWanted) return { address, structured };
      const { html, number } = await drops.readDocument(caller, slug, version ?? drop.latestVersion);
      const { place, text } = windowOf(html, window);
      const shown = { ...structured, version: number, ...place };
      return { address, structured: shown, body: { field: 'html', text } };
    },
  });

  const list = defineTool({
    name: 'list_drops',
    title: 'List pages',
    description: `Lists the user's drops, a page of the list at a time. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: object({
      ...{ page, page_size: pageSize, sort_by: sortBy, sort_order: sortOrder, q },
      metadata: metadataFilter,
    }),
    async run(caller, args) {
      const { metadata = {} } = validate(object({ metadata: metadataFilter }), args, 'arguments');
      const query = readQuery(asQuery(args, metadata));
      return { structured: presentDropList(await drops.list(caller, query), query, config.BASE_URL) };
    },
  });

  return [get, list];
}

const getInput = object({
  slug,
  version: versionNumber('version', 'The number of a version. Default: the latest.'),
  ...windowArguments,
});

const metadataFault = invalid('metadata must be an object of strings');
const metadataFilter = mixed<Record<string, string>>({
  check: (value): value is Record<string, string> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string'),
})
  .typeError(metadataFault)
  .nonNullable(metadataFault)
  .test({
    name: 'json',
    params: {
      json: {
        type: 'object',
        description: 'Only drops whose metadata has all these keys with exactly these values.',
        additionalProperties: { type: 'string' },
      },
    },
    test: () => true,
  });

/** The arguments as the query of GET /api/drops, where numbers are text. */
function asQuery(
  { page, page_size: pageSize, sort_by: sortBy, sort_order: sortOrder, q }: Arguments,
  metadata: Record<string, string>,
) {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries({ page, pageSize, sortBy, sortOrder, q }))
    query[name] = typeof value === 'number' ? String(value) : value;
  for (const [key, value] of Object.entries(metadata)) query[metadataPrefix + key] = value;
  return query;
}
