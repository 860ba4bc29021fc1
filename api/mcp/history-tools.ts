import { object } from 'yup';
import { defaultFormat, diffFormats } from '../../shared/html/compared-lines.ts';
import type { Services } from '../../shared/open-services.ts';
import { maxViewDays } from '../../shared/services/view-stats.ts';
import { defaultViewDays, presentViews } from '../drops/views.ts';
import { pageUrl } from '../http/paths.ts';
import { oneOf, validate } from '../http/validate.ts';
import { presentVersionListItem } from '../versions/presenter.ts';
import { integer, isData, slug, versionNumber } from './arguments.ts';
import { defineTool, type Tool } from './tool.ts';
import { windowArguments, windowOf } from './window.ts';

/** The tools that tell what happened to a drop. They change nothing. */
export function historyTools({ drops, diffs, viewStats, config }: Services): readonly Tool[] {
  const list = defineTool({
    name: 'list_versions',
    title: 'List versions of a page',
    description:
      'Lists the versions of a drop, newest first: number, size, time, and whether it has a context.',
    effect: 'reads',
    cost: 'none',
    input: versionsInput,
    async run(caller, args) {
      const { slug } = validate(versionsInput, args, 'arguments');
      const versions = await drops.listVersions(caller, slug);
      const data = versions.map((version) => presentVersionListItem(version, { publishedBy: false }));
      return { address: pageUrl(config.BASE_URL, slug), structured: { slug, data } };
    },
  });

  const compare = defineTool({
    name: 'diff_versions',
    title: 'Compare versions of a page',
    description: `What changed between two versions, as a unified diff; empty if they are the same. To read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: diffInput,
    async run(caller, args) {
      const { slug, from, to, format, ...window } = validate(diffInput, args, 'arguments');
      const compared = await diffs.compare(caller, slug, {
        from: from ?? null,
        to: to ?? null,
        format: format ?? defaultFormat,
      });
      const { place, text } = windowOf(Buffer.from(compared.diff), window);
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
    cost: 'none',
    input: statsInput,
    async run(caller, args) {
      const { slug, days = defaultViewDays } = validate(statsInput, args, 'arguments');
      const shown = presentViews(await viewStats.read(caller, slug, days));
      return { address: pageUrl(config.BASE_URL, slug), structured: { slug, ...shown } };
    },
  });

  return [list, compare, stats];
}

const versionsInput = object({ slug });

const statsInput = object({
  slug,
  days: integer('days', 1, maxViewDays, `Up to today. Default: ${defaultViewDays}.`),
});

const diffInput = object({
  slug,
  from: versionNumber('from', 'The older version. Default: the one before `to`; version 1 has none.'),
  to: versionNumber('to', 'The newer version. Default: the latest.'),
  format: oneOf('format', diffFormats).meta({
    description: `${defaultFormat} (default): the HTML. text: what readers see of it.`,
  }),
  ...windowArguments,
});
