import type { Scope } from '../../shared/credentials/token.ts';

/** In pages. */
export const scopeNames: Readonly<Record<Scope, string>> = { all: 'Everything', publish: 'Publish only' };
