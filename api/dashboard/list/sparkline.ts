import { type Html, html } from '../../html/html.ts';
import { countOf } from '../../html/quantity.ts';

const height = 10;

/** The views of each day as a small line, oldest first; the text for screen readers says the sum and the best day. */
export function sparkline(views: readonly number[]): Html {
  const most = Math.max(...views);
  const points = views.map((count, day) => {
    const y = most === 0 ? height : height - (count / most) * height;
    return `${day} ${Number(y.toFixed(1))}`;
  });
  const line = `M${points.join('L')}`;
  const last = views.length - 1;
  const area = most > 0 && html`<path class="area" d="${line}L${last} ${height}L0 ${height}Z"/>`;
  return html`<svg class="${most > 0 ? 'spark' : 'spark none'}" viewBox="0 0 ${last} ${height}" preserveAspectRatio="none" role="img" aria-label="${describe(views, most)}">${area}<path class="line" d="${line}"/></svg>`;
}

function describe(views: readonly number[], most: number): string {
  const sum = views.reduce((total, count) => total + count, 0);
  if (sum === 0) return `No views in the last ${views.length} days`;
  return `${countOf(sum, 'view')} in the last ${views.length} days, at most ${most} on one day`;
}
