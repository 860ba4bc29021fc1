/** The groups of endpoints, in the order of the reference page. */
export const tags = {
  Onboarding: 'What a client needs to know first.',
  'Sign-in': 'A client gets a token: it starts, its human approves in a browser, it polls.',
  Account: 'Who is calling, and with which tokens.',
  Drops: 'Pages: publish, list, replace, change, delete.',
  Versions: 'What each PUT added to a drop.',
  'Public pages': 'What anybody sees who has the address of a drop.',
  'Sign-in pages': 'Where a human verifies a code, signs in, and approves or denies. For browsers.',
  Service: 'About the service itself.',
} as const;

export type Tag = keyof typeof tags;
