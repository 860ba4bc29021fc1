import { mixed, object } from 'yup';
import type { Services } from '../../shared/engines/open-services.ts';
import { defaultFormat, diffFormats } from '../../shared/html/compared-lines.ts';
import { maxViewDays } from '../../shared/views/views.ts';
import { DropQueryReader, dropQuery } from '../drops/list-query.ts';
import { presentDropList } from '../drops/presenter.ts';
import { presentShared, readSharedQuery, sharedQuery } from '../drops/shared.ts';
import { defaultViewDays, presentViews } from '../drops/views.ts';
import { metadataPrefix } from '../http/parameters.ts';
import { pageUrl } from '../http/paths.ts';
import { invalid, oneOfField } from '../http/validate.ts';
import { presentVersionListItem } from '../versions/presenter.ts';
import {
  excerptArguments,
  excerptOf,
  integerArgument,
  isData,
  slugArgument,
  versionNumber,
} from './arguments.ts';
import { defineTool, dropResult, type Tool } from './tool.ts';

/** The names of arguments that a query of the API has in another form. */
const argumentNames = { pageSize: 'page_size', sortBy: 'sort_by', sortOrder: 'sort_order' };

/** The tools that change nothing. */
export function readingTools(services: Services): readonly Tool[] {
  const { drops, sharedDrops, comments, config } = services;
  const queries = new DropQueryReader(config);
  const { page, pageSize, sortBy, sortOrder, q } = dropQuery(config, argumentNames).fields;

  const get = defineTool({
    name: 'get_drop',
    title: 'Read a page',
    description: `Reads one of the user's drops, with its etag. With version, offset or length also a part of its HTML: to read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    scope: 'publish',
    input: object({
      slug: slugArgument,
      version: versionNumber('version', 'The number of a version. Default: the latest.'),
      ...excerptArguments,
    }),
    async run(caller, { slug, version, ...range }) {
      const drop = await drops.get(caller, slug);
      const { address, structured } = await dropResult(services, drop);
      const isWanted = [version, range.offset, range.length].some((given) => given !== undefined);
      if (!isWanted) return { address, structured };
      const { html, number } = await drops.readDocument(caller, slug, version ?? drop.latestVersion);
      const { place, text } = excerptOf(html, range);
      const shown = { ...structured, version: number, ...place };
      return { address, structured: shown, body: { field: 'html', text } };
    },
  });

  const list = defineTool({
    name: 'list_drops',
    title: 'List pages',
    description: `Lists the user's drops, page by page. ${isData}`,
    effect: 'reads',
    scope: 'publish',
    input: object({
      page,
      page_size: pageSize,
      sort_by: sortBy,
      sort_order: sortOrder,
      q,
      metadata: metadataFilter,
    }),
    async run(caller, { page, page_size: pageSize, sort_by: sortBy, sort_order: sortOrder, q, metadata }) {
      const filters = Object.entries(metadata ?? {}).map(([key, value]) => [metadataPrefix + key, value]);
      const query = queries.read({ page, pageSize, sortBy, sortOrder, q, ...Object.fromEntries(filters) });
      const found = await drops.list(caller, query);
      const counts = await comments.count(found.drops.map(({ id }) => id));
      return { structured: presentDropList(found, query, config.BASE_URL, counts) };
    },
  });

  const listShared = defineTool({
    name: 'list_shared_drops',
    title: 'List pages shared with the user',
    description: `Lists pages of others whose people name the user, newest first. ${isData}`,
    effect: 'reads',
    scope: 'all',
    input: sharedQuery,
    async run(caller, query) {
      const { after, limit } = readSharedQuery(query);
      return {
        structured: presentShared(await sharedDrops.list(caller, after, limit), config.BASE_URL),
      };
    },
  });

  return [get, list, listShared];
}

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
        description: 'Only drops with all these tags.',
        additionalProperties: { type: 'string' },
      },
    },
    test: () => true,
  });

/** The tools that tell what happened to a drop. They change nothing. */
export function historyTools({ drops, diffs, viewStats, config }: Services): readonly Tool[] {
  const list = defineTool({
    name: 'list_versions',
    title: 'List versions of a page',
    description: 'Lists the versions of a drop, newest first.',
    effect: 'reads',
    scope: 'publish',
    input: object({ slug: slugArgument }),
    async run(caller, { slug }) {
      const versions = await drops.listVersions(caller, slug);
      const data = versions.map((version) => presentVersionListItem(version));
      return { address: pageUrl(config.BASE_URL, slug), structured: { slug, data } };
    },
  });

  const compare = defineTool({
    name: 'diff_versions',
    title: 'Compare versions of a page',
    description: `What changed between two versions, as a unified diff; empty if they are the same. To read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    scope: 'publish',
    input: object({
      slug: slugArgument,
      from: versionNumber('from', 'The older version. Default: the one before `to`; version 1 has none.'),
      to: versionNumber('to', 'The newer version. Default: the latest.'),
      format: oneOfField('format', diffFormats).meta({
        description: `${defaultFormat} (default): the HTML. text: what readers see of it.`,
      }),
      ...excerptArguments,
    }),
    async run(caller, { slug, from, to, format, ...range }) {
      const compared = await diffs.compare(caller, slug, {
        from: from ?? null,
        to: to ?? null,
        format: format ?? defaultFormat,
      });
      const { place, text } = excerptOf(Buffer.from(compared.diff), range);
      return {
        address: pageUrl(config.BASE_URL, slug),
        structured: { slug, from: compared.from, to: compared.to, ...place },
        body: { field: 'diff', text },
      };
    },
  });

  const stats = defineTool({
    name: 'view_stats',
    title: 'Views of a page',
    description: 'How often people opened the page: in all, and on each of the last days (UTC).',
    effect: 'reads',
    scope: 'publish',
    input: object({
      slug: slugArgument,
      days: integerArgument('days', 1, maxViewDays, `Up to today. Default: ${defaultViewDays}.`),
    }),
    async run(caller, { slug, days = defaultViewDays }) {
      const shown = presentViews(await viewStats.read(caller, slug, days));
      return { address: pageUrl(config.BASE_URL, slug), structured: { slug, ...shown } };
    },
  });

  return [list, compare, stats];
}
