/** What changes a drop and is no end of it, as requests below `/api/drops/{slug}`; version 1 is not the only one. */
export const changesOfOwner: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['PUT', '', { html: '<p>New' }],
  ['PATCH', '', { title: 'New' }],
  ['POST', '/passcode', { passcode: 'open-sesame' }],
  ['POST', '/passcode', { passcode: '' }],
  ['DELETE', '/v/1'],
];
