import type { Clock } from '../../shared/domain/clock.ts';
import type { Sealer } from '../../shared/secrets/sealer.ts';
import type { Form } from './show.ts';

/** The field of the form token: the account, a dot and a hash. */
export const tokenField = 'form_token';

/** The field of a form that has the sealed text. */
export const keptField = 'kept_form';

/** The longest text that is kept, as JSON. */
const maxBytes = 64 * 1024;

/** The largest body of a form that has a sealed text, which is a third longer. */
export const keptFormBytes = 96 * 1024;

const keptMs = 60 * 60_000;

/** What the seal is for. */
const purpose = 'kept form';

/** What was typed into a form whose session had ended. */
interface KeptForm {
  readonly path: string;
  /** The account whose page had the form: nobody else gets the text. */
  readonly accountId: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Seals forms for the page on which a person signs in. They have no form token, so they can only be filled in again. */
export class KeptForms {
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor({ sealer, clock }: { readonly sealer: Sealer; readonly clock: Clock }) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /** null: the text is too long. */
  async seal(form: Form, path: string): Promise<string | null> {
    const [accountId = ''] = (form.get(tokenField) ?? '').split('.');
    const kept: KeptForm = { path, accountId, fields: [...form].filter(([name]) => name !== tokenField) };
    if (Buffer.byteLength(JSON.stringify(kept)) > maxBytes) return null;
    return this.#sealer.seal(purpose, kept, this.#clock.now() + keptMs);
  }

  /** null: an hour has passed, or `seal` has not made it. */
  async open(sealed: string): Promise<KeptForm | null> {
    return (await this.#sealer.open(purpose, sealed)) as KeptForm | null; // proof: `seal` made it
  }
}
