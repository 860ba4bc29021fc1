/** No busy machine exceeds these: a page or an answer that is late differs. Separate tests cover that. */
export const unhurried = { RENDER_REQUEST_BUDGET_MS: '30000', ANSWER_MS: '60000' } as const;
