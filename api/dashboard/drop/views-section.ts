import type { ViewStats } from '../../../shared/views/views.ts';
import { countOf, numberText } from '../../html/elements.ts';
import { type Html, html } from '../../html/html.ts';
import { ownerPath } from '../../http/paths.ts';

/** The views of a drop, in all and by day. */
export type DropViews = Awaited<ReturnType<ViewStats['read']>>;

/** A span of days that the chart can show. */
export interface Range {
  /** In the address: `?days=30`. */
  readonly key: string;
  /** Days that are read. */
  readonly days: number;
  readonly name: string;
  /** Days of one bar. */
  readonly step: number;
}

/** A year is 52 whole weeks, so that each bar has seven days. */
const ranges = [
  { key: '30', days: 30, name: '30 days', step: 1 },
  { key: '90', days: 90, name: '90 days', step: 1 },
  { key: '365', days: 364, name: '1 year', step: 7 },
] as const satisfies readonly [Range, ...Range[]];

/** The range of that key; the shortest if there is none. */
export function rangeOf(key: unknown): Range {
  return ranges.find((range) => range.key === key) ?? ranges[0];
}

interface Bar {
  /** `2026-01-31`, or `2026-01-25 to 2026-01-31`. */
  readonly when: string;
  readonly views: number;
}

/** The views of a drop over time: a chart, and the same as a table. */
export function viewsSection({ slug, stats, range }: { slug: string; stats: DropViews; range: Range }): Html {
  const { viewCount, days } = stats;
  if (viewCount === 0) return noViews;
  const bars = toBars(days, range.step);
  const sum = days.reduce((total, { views }) => total + views, 0);
  const today = days.at(-1)?.views ?? 0;
  return html`<section class="panel" id="views" aria-labelledby="views-title">
<div class="panel-head"><h2 id="views-title">Views</h2>
<nav class="segments" aria-label="Span of the chart">${ranges.map((one) => rangeLink(slug, one, range))}</nav></div>
<div class="figures">${figure(viewCount, 'in all')}${figure(sum, `in ${range.name}`)}${figure(today, 'today (UTC)')}</div>
${chart(bars, range, sum)}
<details class="more"><summary>Numbers as a table</summary>
<div class="table-wrap numbers" tabindex="0" role="region" aria-label="Views as a table"><table class="table">
<thead><tr><th scope="col">${range.step === 1 ? 'Day (UTC)' : 'Week (UTC)'}</th><th scope="col" class="number">Views</th></tr></thead>
<tbody>${bars.toReversed().map(
    ({
      when,
      views,
    }) => html`<tr><th scope="row">${when}</th><td class="number">${numberText(views)}</td></tr>
`,
  )}</tbody>
</table></div></details>
</section>`;
}

const noViews = html`<section class="panel" id="views" aria-labelledby="views-title">
<h2 id="views-title">Views</h2>
<p class="soft">Nobody has opened the page yet. A view appears here a few seconds after somebody opens its address.</p>
</section>`;

function figure(value: number, name: string): Html {
  return html`<p class="figure"><b>${numberText(value)}</b> ${name}</p>`;
}

function rangeLink(slug: string, { key, name }: Range, shown: Range): Html {
  const isShown = key === shown.key;
  return html`<a href="${ownerPath(slug)}?days=${key}#views"${isShown && html` aria-current="true"`}>${name}</a>`;
}

/** @param step days of one bar; the number of days is a multiple of it */
function toBars(days: DropViews['days'], step: number): Bar[] {
  const bars: Bar[] = [];
  for (let i = 0; i < days.length; i += step) {
    const group = days.slice(i, i + step);
    const first = group[0]?.date ?? '';
    const last = group.at(-1)?.date ?? '';
    const views = group.reduce((total, day) => total + day.views, 0);
    bars.push({ when: first === last ? first : `${first} to ${last}`, views });
  }
  return bars;
}

/** Each bar is 10 units wide with its gap, and up to 100 high. */
const slot = 10;
const height = 100;

function chart(bars: readonly Bar[], { name, step }: Range, sum: number): Html {
  const best = bars.reduce((most, bar) => (bar.views > most.views ? bar : most), { when: '', views: 0 });
  const unit = step === 1 ? 'day' : 'week';
  const summary =
    sum === 0
      ? `No views in the last ${name}.`
      : `${countOf(sum, 'view')} in the last ${name}. The best ${unit} was ${best.when} with ${numberText(best.views)}.`;
  return html`<figure class="views-chart">
<p class="chart-label" aria-hidden="true">${numberText(best.views)}</p>
<svg class="chart" viewBox="0 0 ${bars.length * slot} ${height}" preserveAspectRatio="none" role="img" aria-labelledby="views-summary">
<path class="grid-lines" d="M0 0H${bars.length * slot}M0 ${height / 2}H${bars.length * slot}"/>
${bars.map((bar, i) => drawBar(bar, i * slot, best.views))}</svg>
<p class="chart-label ends" aria-hidden="true"><span>${bars[0]?.when.slice(0, 10)}</span><span>today</span></p>
<figcaption id="views-summary" class="small soft">${summary}</figcaption>
</figure>`;
}

/** The first path fills the slot, so that the pointer finds the title of a low bar. A day without a view has a thin line. */
function drawBar({ when, views }: Bar, x: number, most: number): Html {
  const top = most === 0 ? 0 : Math.round((views / most) * height * 10) / 10;
  const tall = views === 0 ? 1 : Math.max(top, 2);
  const title = `${when}: ${countOf(views, 'view')}`;
  return html`<g><title>${title}</title><path class="slot" d="M${x} 0h${slot}v${height}h-${slot}z"/><path class="bar${views === 0 && ' none'}" d="M${x + 1} ${height - tall}h${slot - 2}v${tall}h-${slot - 2}z"/></g>
`;
}
