import type { ErrorEnvelope } from '../http/http-error.ts';
import { type Html, html, raw } from './html.ts';

/** The envelope of an error inside the page that tells a person of it (spec section 7); data, not a script that runs. */
export function envelopeData(envelope: ErrorEnvelope): Html {
  const json = JSON.stringify(envelope).replaceAll('<', '\\u003c'); // nothing in it may end the element
  return html`<script type="application/json" id="error">${raw(json)}</script>`;
}
