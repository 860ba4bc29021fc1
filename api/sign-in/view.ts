import { type Html, html } from '../html/html.ts';

/** What a page of the sign-in says, before it gets its frame. */
export interface View {
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
}

/** A fault above a form; fields point to it by `aria-describedby="fault"`. */
export function faultNotice(fault: string | null): Html | null {
  return fault === null ? null : html`<p class="notice bad" id="fault" role="alert">${fault}</p>`;
}
