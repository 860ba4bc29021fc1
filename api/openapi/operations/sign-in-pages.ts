import { type Operation, type Parameter, page, redirect } from '../operation.ts';
import { badForm, form, formHeaders } from './pages.ts';

const cookie: Parameter = {
  name: 'dropleaf_sign_in',
  in: 'cookie',
  description:
    'How far this browser has come: set by the step before. Without it a step is 400 `invalid_arg`. On https its name begins with `__Host-`.',
  schema: { type: 'string' },
};

const noStore = { headers: ['Cache-Control'] } as const;
const onward = ['Cache-Control', '?Set-Cookie'] as const;
const text = { type: 'string' };

/** The pages of the sign-in. What goes wrong is said on a page that holds the envelope too. */
export const signInPageOperations = {
  showCode: {
    id: 'showCodeForm',
    tag: 'Sign-in pages',
    summary: 'The page where the code is entered',
    description: 'The first page of a sign-in.',
    parameters: [
      { name: 'code', in: 'query', description: 'A code to fill in.', schema: { type: 'string' } },
    ],
    replies: [page('The form.', noStore)],
  },
  enterCode: {
    id: 'enterCode',
    tag: 'Sign-in pages',
    summary: 'Enter the code',
    description: 'Leads on to the identity provider, by a page of its own, or to the sign-in key.',
    limits: ['code_tries'],
    parameters: formHeaders,
    body: form({ code: text }, { code: 'BCDF-GHJK' }),
    replies: [
      page('On to the identity provider.', { headers: onward }),
      redirect('On to the sign-in key.', onward),
    ],
    refusals: ['forbidden', 'not_found', 'rate_limited', ...badForm],
  },
  returnFromProvider: {
    id: 'returnFromProvider',
    tag: 'Sign-in pages',
    summary: 'Back from the identity provider',
    description: 'The redirect address of the OAuth app. 404 where the service has no identity provider.',
    parameters: [
      { name: 'code', in: 'query', description: 'From the identity provider.', schema: text },
      { name: 'state', in: 'query', description: 'From the identity provider.', schema: text },
      cookie,
    ],
    replies: [redirect('On to the request.', onward)],
    refusals: ['forbidden', 'not_found', 'rate_limited'],
  },
  showLocal: {
    id: 'showLocalForm',
    tag: 'Sign-in pages',
    summary: 'The page where the sign-in key is entered',
    description: 'Where the service has no identity provider; 404 where it has one.',
    parameters: [cookie],
    replies: [page('The form.', noStore)],
    refusals: ['not_found'],
  },
  signInLocally: {
    id: 'signInLocally',
    tag: 'Sign-in pages',
    summary: 'Sign in with the sign-in key',
    description: 'A name, and the key that whoever runs the service has.',
    limits: ['code_tries'],
    parameters: [...formHeaders, cookie],
    body: form({ name: text, key: text }, { name: 'ada', key: 'the-sign-in-key' }),
    replies: [redirect('On to the request.', onward)],
    refusals: ['forbidden', 'not_found', 'rate_limited', ...badForm],
  },
  showRequest: {
    id: 'showRequest',
    tag: 'Sign-in pages',
    summary: 'The page where the request is approved or denied',
    description: 'Names the code, the label, and who asks from where.',
    parameters: [cookie],
    replies: [page('The question.', noStore)],
    refusals: ['not_found'],
  },
  decide: {
    id: 'decide',
    tag: 'Sign-in pages',
    summary: 'Approve or deny',
    description: 'The form of that page, from the newest one alone.',
    parameters: [...formHeaders, cookie],
    body: form({ token: text, decision: text }, { token: 'from-the-page', decision: 'approve' }),
    replies: [redirect('On to the end.', onward)],
    refusals: ['forbidden', 'not_found', ...badForm],
  },
  showDone: {
    id: 'showDone',
    tag: 'Sign-in pages',
    summary: 'The page at the end',
    description: 'Says what was decided.',
    parameters: [cookie],
    replies: [page('The end.', noStore)],
  },
} as const satisfies Record<string, Operation>;
