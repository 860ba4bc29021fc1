/** The groups of endpoints, in the order of the reference page. */
export const tags = {
  Onboarding: 'What a client needs to know first.',
  'Sign-in':
    'A client gets a token: it starts a sign-in, its human approves it in a browser, the client polls.',
  Account: 'The account of a token, and its tokens.',
  Drops: 'Publish, list, replace, change and delete pages.',
  Versions: 'The versions of a drop: each PUT adds one.',
  'Public pages': 'What everybody can open who has the address of a drop.',
  Health: 'For load balancers and monitoring.',
} as const;

export type Tag = keyof typeof tags;
