import type { ReportedPage } from '../../../shared/domain/report.ts';
import type { Env } from '../../env.ts';
import { maxCount } from '../../max-count.ts';
import { withAdmin } from './with-operator.ts';

/** Prints the pages that have open reports, a line each, the most reported first. */
export async function listReportedPages({ limit }: { readonly limit: number }, env: Env): Promise<void> {
  await withAdmin(env, async ({ reports }) => {
    const { pages, others } = await reports.listPages(limit);
    process.stdout.write(pages.length === 0 ? 'There are no open reports.\n' : describe(pages));
    if (others > 0)
      process.stderr.write(`And ${others} more, reported as often or less: ${wayTo(limit + others)}\n`);
  });
}

function wayTo(count: number): string {
  return count <= maxCount
    ? `--limit ${count} shows them.`
    : 'be done with some by "close --page", and look again.';
}

/** In columns: slugs and reasons are ours, and nothing of it is a stranger's. */
function describe(pages: readonly ReportedPage[]): string {
  const widthOf = (column: (page: ReportedPage) => string) =>
    Math.max(...pages.map((page) => column(page).length));
  const countWidth = widthOf(({ open }) => String(open));
  const slugWidth = widthOf(({ slug }) => slug);
  return pages
    .map(({ slug, open, first, newest, reasons }) => {
      const told = reasons.map(([reason, count]) => `${reason} ${count}`).join(', ');
      const span = `first ${timeOf(first)}  newest ${timeOf(newest)}`;
      return `${String(open).padStart(countWidth)} open  ${slug.padEnd(slugWidth)}  ${span}  ${told}\n`;
    })
    .join('');
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
