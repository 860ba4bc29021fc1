import { mixed, object } from 'yup';
import type { Services } from '../../shared/open-services.ts';
import { createDropQueryReader, dropQuery, metadataPrefix } from '../drops/list-query.ts';
import { dropListShape, presentDropList } from '../drops/presenter.ts';
import { invalid, validate } from '../http/validate.ts';
import { fields, integer, optional, text } from '../openapi/shape.ts';
import { isData, slug, versionNumber } from './arguments.ts';
import { dropOutput, dropResult, joined } from './results.ts';
import { type Arguments, defineTool, inlined, type Tool } from './tool.ts';
import { windowArguments, windowOf, windowShape } from './window.ts';

/** The tools that change nothing. */
export function readingTools({ drops, config }: Services): readonly Tool[] {
  const readQuery = createDropQueryReader(config);

  const get = defineTool({
    name: 'get_drop',
    title: 'Read a page',
    description: `Reads one of the user's drops. With version, offset or length also a part of its HTML source: to read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: getInput,
    output: joined(dropOutput, joined(sourceShape.schema, windowShape.schema)),
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
    description: `Lists the user's drops, one page of the list at a time, without their HTML. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: object({ ...dropQuery(config).fields, metadata: metadataFilter }),
    output: inlined(dropListShape),
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

const sourceShape = fields({
  version: optional(integer('The version that html is a part of.', 1)),
  html: optional(text('The part of the source, as posted.')),
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
function asQuery({ metadata: _, ...rest }: Arguments, metadata: Record<string, string>) {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(rest))
    query[name] = typeof value === 'number' ? String(value) : value;
  for (const [key, value] of Object.entries(metadata)) query[metadataPrefix + key] = value;
  return query;
}
