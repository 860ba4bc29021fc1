import { onMain } from './form-events.ts';

const minute = 60_000;
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365.25 * 24 * 60 * minute],
  ['month', 30.44 * 24 * 60 * minute],
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
];

// Our pages are in English, so are the times; the reader's own English decides between 11/23 and 23/11.
const locale = navigator.languages.find((language) => language.startsWith('en')) ?? 'en-GB';
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Shows each time in the viewer's zone; with `data-relative` as "3 hours ago", kept up to date. */
export function startTimes(): void {
  onMain(() => {
    showTimes();
    showTimesOfOptions();
  });
  setInterval(() => showTimes(), minute);
}

export function showTimes(root: ParentNode = document): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const ms = Date.parse(element.dateTime);
    if (Number.isNaN(ms) || !element.dateTime.includes('T')) continue; // a day has no time of day
    const text = element.dataset.relative === undefined ? exact.format(ms) : fromNow(ms - Date.now());
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Choices that end with a time: an option has no elements. */
function showTimesOfOptions(): void {
  for (const option of document.querySelectorAll<HTMLOptionElement>('option[data-time]')) {
    const { name = '', time = '' } = option.dataset;
    option.text = name + exact.format(Date.parse(time));
  }
}

function fromNow(distance: number): string {
  const [unit, length] = units.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 0];
  if (length !== 0) return relative.format(Math.trunc(distance / length), unit);
  return distance > 0 ? 'in a moment' : 'just now';
}
