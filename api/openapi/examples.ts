import type { Drop } from '../../shared/domain/drop.ts';
import type { Token } from '../../shared/domain/token.ts';

const madeAt = 1795272214339;

/** A drop to show; the presenters write it as they write every other. */
export const sampleDrop: Drop = {
  id: '01a2000000000000000000000000beef',
  ownerId: '01a1000000000000000000000000beef',
  slug: 't9tzZkipKQ5I',
  title: 'Hello',
  description: null,
  metadata: new Map([['project', 'demo']]),
  locked: false,
  latestVersion: 1,
  viewCount: 0,
  createdAt: madeAt,
  updatedAt: madeAt,
  rev: 1,
  takedown: null,
};

export const sampleVersion = {
  id: '01a3000000000000000000000000beef',
  number: 1,
  sizeBytes: 49,
  hasContext: true,
  mediaType: 'text/html',
  createdAt: madeAt,
};

export const sampleToken: Token = {
  id: '0123456789ab',
  hash: '',
  accountId: sampleDrop.ownerId,
  label: 'my laptop',
  createdAt: madeAt,
  lastUsedAt: madeAt,
};

/** 43 letters and digits, as a poll token has. */
export const samplePollToken = 'Pollt0kenPollt0kenPollt0kenPollt0kenPollt0k';

export const sampleApiToken = 'dl_Example000000000000000000000000000000';

export const sampleQuery = {
  page: 1,
  pageSize: 50,
  sortBy: 'created_at',
  sortOrder: 'desc',
  metadata: [],
} as const;

/** What a client sends to make that drop. */
export const sampleBody = {
  title: sampleDrop.title,
  html: '<!doctype html><title>Hello</title><h1>Hello</h1>',
  metadata: { project: 'demo' },
};
