/** So many of anything at most are asked for by one command (`--limit`). */
export const maxCount = 1_000;
