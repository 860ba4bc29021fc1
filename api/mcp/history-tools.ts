import { object } from 'yup';
import { defaultFormat, diffFormats } from '../../shared/html/compared-lines.ts';
import type { Services } from '../../shared/open-services.ts';
import { maxViewDays } from '../../shared/services/view-stats.ts';
import { slugShape } from '../drops/presenter.ts';
import { defaultViewDays, presentViews, viewsShape } from '../drops/views.ts';
import { pageUrl } from '../http/paths.ts';
import { oneOf } from '../http/query-fields.ts';
import { validate } from '../http/validate.ts';
import { fields, integer as integerShape, text } from '../openapi/shape.ts';
import { integer, isData, slug, versionNumber } from './arguments.ts';
import { joined } from './results.ts';
import { defineTool, inlined, type Tool } from './tool.ts';
import { windowArguments, windowOf, windowShape } from './window.ts';

/** The tools that tell what happened to a drop. They change nothing. */
export function historyTools({ diffs, viewStats, config }: Services): readonly Tool[] {
  const compare = defineTool({
    name: 'diff_versions',
    title: 'Compare versions of a page',
    description: `A unified diff of two versions: what changed. Empty if they are the same. To read on, call again with next_offset as offset. ${isData}`,
    effect: 'reads',
    cost: 'none',
    input: diffInput,
    output: joined(diffShape.schema, windowShape.schema),
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
    description:
      'How often people opened the page: in all, and on each of the last days (UTC), oldest first.',
    effect: 'reads',
    cost: 'none',
    input: statsInput,
    output: joined(inlined(viewsShape), fields({ slug: slugShape }).schema),
    async run(caller, args) {
      const { slug, days = defaultViewDays } = validate(statsInput, args, 'arguments');
      const shown = presentViews(await viewStats.read(caller, slug, days));
      return { address: pageUrl(config.BASE_URL, slug), structured: { slug, ...shown } };
    },
  });

  return [compare, stats];
}

const statsInput = object({
  slug,
  days: integer('days', 1, maxViewDays, `The number of days, up to today. Default: ${defaultViewDays}.`),
});

const diffInput = object({
  slug,
  from: versionNumber('from', 'The number of the older version. Default: the version before `to`.'),
  to: versionNumber('to', 'The number of the newer version. Default: the latest version.'),
  format: oneOf('format', diffFormats).meta({
    description: `${defaultFormat} (default): the HTML. text: what readers see of it.`,
  }),
  ...windowArguments,
});

const diffShape = fields({
  slug: slugShape,
  from: integerShape('The number of the older version.', 1),
  to: integerShape('The number of the newer version.', 1),
  diff: text('The diff, or the part of it.'),
});
