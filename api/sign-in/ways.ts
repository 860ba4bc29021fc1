import { localProvider } from '../../shared/accounts/account.ts';
import { type SignInWay, signInWays } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { ProviderWay } from '../../shared/sign-ins/callbacks.ts';
import { type Html, html } from '../html/html.ts';
import { otherField } from '../http/paths.ts';
import type { Form } from '../http/show.ts';

type Providers = Pick<Services, 'config' | ProviderWay>;

/** The field of a form that says how the person wants to sign in. */
const wayField = 'way';

/** The person wants another account than the one that they would have. */
export const otherInput: Html = html`<input type="hidden" name="${otherField}" value="1">`;

/** What the buttons of a way say. */
export interface ShownWay {
  readonly way: SignInWay;
  /** After “Continue with”. */
  readonly name: string;
  /** See `IdentityProvider`; null: there is no provider. */
  readonly reads: string | null;
}

export function shownWays(services: Providers): readonly ShownWay[] {
  return signInWays(services.config).map((way) => {
    const provider = way === 'local' ? null : services[way];
    return { way, name: provider?.name ?? 'the sign-in key', reads: provider?.reads ?? null };
  });
}

/** The way that the form names, or the first one. @throws DropError `invalid_arg`: nobody signs in by it */
export function readWay({ config }: Pick<Services, 'config'>, sent: Form): SignInWay {
  const ways = signInWays(config);
  const named = sent.get(wayField);
  const way = ways.find((each) => named === undefined || each === named);
  if (way !== undefined) return way;
  const message = 'Nobody can sign in this way here any more. Choose another one.';
  throw new DropError('invalid_arg', message, { field: wayField });
}

/** A button for each way; the first is what the Enter key presses. @param isFirst whether no other button of the page is before them */
export function wayButtons(ways: readonly ShownWay[], isFirst = true): Html {
  return html`<div class="ways">
${ways.map(
  ({ way, name }, i) =>
    html`<button type="submit" name="${wayField}" value="${way}"${!(isFirst && i === 0) && html` class="quiet"`}>Continue with ${name}</button>
`,
)}</div>`;
}

export function wayInput(way: SignInWay): Html {
  return html`<input type="hidden" name="${wayField}" value="${way}">`;
}

/** What the service reads of a person at each provider. */
export function readsText(ways: readonly ShownWay[]): Html {
  const lines = ways.filter(({ reads }) => reads !== null);
  return html`${lines.map(
    ({ name, reads }) =>
      html`<p class="soft small after">From ${name} Dropleaf reads ${reads}.</p>
`,
  )}`;
}

/** The name of the provider of a stored identity or session, also of one that the service no longer has. */
export function providerName({ oidc }: Pick<Services, 'oidc'>, provider: string): string {
  if (provider === localProvider) return 'the sign-in key';
  if (oidc?.isOf(provider)) return oidc.name;
  const address = provider.slice(provider.indexOf(':') + 1);
  const host = URL.canParse(address) ? new URL(address).host : address;
  return host === 'github.com' ? 'GitHub' : host;
}
