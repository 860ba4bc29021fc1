import type { Services } from '../../shared/open-services.ts';
import type { ReadForm } from '../http/form.ts';
import { codeHandlers } from './code.ts';
import { decisionHandlers } from './decision.ts';
import { localHandlers } from './local.ts';
import { providerHandlers } from './provider.ts';
import { createSignInSite } from './site.ts';

/** The pages on which a human verifies a code, signs in, and approves or denies (spec 4.2). */
export function signInPageHandlers(services: Services, readForm: ReadForm) {
  const site = createSignInSite(services, readForm);
  return {
    ...codeHandlers(site),
    ...providerHandlers(site),
    ...localHandlers(site),
    ...decisionHandlers(site),
  };
}
