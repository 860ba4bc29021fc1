import { bad, type HostileCase, refused } from './case.ts';

function list(name: string, query: string, answer: HostileCase['answer']): HostileCase {
  return { name, path: `/api/drops?${query}`, answer };
}

/** Without a token. */
function anonymous(name: string, path: string, answer: HostileCase['answer']): HostileCase {
  return { name, path, answer, isAnonymous: true };
}

const noVersion = refused(404, 'version_not_found');
const locked = refused(403, 'passcode_required');
const none = { status: 200, text: '"data":[]' };
const all = { status: 200, text: '"total_items":' };

/** Parameters of queries and paths. */
export const parameters: readonly HostileCase[] = [
  list('page as an array', 'page[]=1', bad('page[]')),
  list('page as an object', 'page[x]=1', bad('page[x]')),
  list('page as an object, escaped', 'page%5Bx%5D=1', bad('page[x]')),
  list('page with NUL', 'page=1%00', bad('page')),
  list('page in Arabic digits', `page=${encodeURIComponent('١')}`, bad('page')),
  list('page of 400 digits', `page=${'9'.repeat(400)}`, bad('page')),
  list('pageSize=1000000', 'pageSize=1000000', bad('pageSize')),
  list('pageSize=Infinity', 'pageSize=Infinity', bad('pageSize')),
  list('sortBy=__proto__', 'sortBy=__proto__', bad('sortBy')),
  list('sortBy=title;drop table', 'sortBy=title;drop%20table', bad('sortBy')),
  list('sortOrder as an array', 'sortOrder[0]=asc', bad('sortOrder[0]')),
  list('metadata as an object', 'metadata[k]=v', bad('metadata[k]')),
  list('a filter as an object', 'metadata.k[$ne]=v', bad('metadata.k[$ne]')),
  list('a filter by __proto__ is a filter', 'metadata.__proto__=v', none),
  list('a filter by constructor is a filter', 'metadata.constructor=v', none),
  list('a filter with a quote is text', `metadata.k=${encodeURIComponent(`' OR 1=1 --`)}`, none),
  list('a filter after 1,000 parameters', `${'a=1&'.repeat(1_000)}metadata.k=v`, bad('query')),
  list('101 parameters', Array(101).fill('a').join('&'), bad('query')),
  list('100 parameters, the last of them a filter', `${'a&'.repeat(99)}metadata.k=v`, none),
  list('__proto__ as a parameter', '__proto__=1&__proto__[x]=2', bad('__proto__[x]')),
  list('hasOwnProperty as a parameter is ignored', 'hasOwnProperty=1', all),
  list('bytes that are not UTF-8', 'metadata.k=%ff', bad('query')),
  list('a surrogate in UTF-8', 'metadata.k=%ed%a0%80', bad('query')),
  list('a slash in overlong UTF-8', 'x=%c0%af', bad('query')),
  list('a percent sign alone is text', 'metadata.k=100%', none),
  list('a fragment', 'page=1#x', bad('page')),
  anonymous('a poll token twice', '/api/auth/poll?token=a&token=b', bad('token')),
  anonymous('a poll token as an array', '/api/auth/poll?token[]=a', bad('token[]')),
  anonymous('an empty poll token', '/api/auth/poll?token=', bad('token', 'token_required')),
  anonymous('a poll token of 10 KB', `/api/auth/poll?token=${'a'.repeat(10_000)}`, {
    status: 200,
    text: '"status":"not_found"',
  }),
  { name: 'version 2^53', path: '/api/drops/{slug}/v/9007199254740992', answer: bad('n') },
  { name: 'a token id in capitals', method: 'DELETE', path: '/api/tokens/ABCDEF012345', answer: bad('id') },
  anonymous('v twice', '/p/{slug}/raw?v=1&v=1', noVersion),
  anonymous('v=0', '/p/{slug}/raw?v=0', noVersion),
  anonymous('v=1e0', '/p/{slug}?v=1e0', noVersion),
  anonymous('v with NUL', '/p/{slug}/raw?v=1%00', noVersion),
  anonymous('a forged grant', '/p/{locked}/raw?g=eyJhbGciOiJub25lIn0..', locked),
  anonymous('1,000 invalid grants', `/p/{locked}/raw?${'g=x&'.repeat(1_000)}`, locked),
];
