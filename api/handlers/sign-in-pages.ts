import type { Services } from '../../shared/open-services.ts';
import type { ReadForm } from '../middleware/read-form.ts';
import { codeHandlers } from './sign-in-pages/code.ts';
import { decisionHandlers } from './sign-in-pages/decision.ts';
import { localHandlers } from './sign-in-pages/local.ts';
import { providerHandlers } from './sign-in-pages/provider.ts';
import { createSignInSite } from './sign-in-pages/site.ts';

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
