/** What only the report's form needs. A constant, for the reason that style.ts gives. */
export const reportStyle = `
.reported { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { margin-bottom: .375rem; padding: 0; font-size: .875rem; font-weight: 600; }
.choice { display: flex; align-items: flex-start; gap: .75rem; margin: 0; padding: .625rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem; font-weight: 400; line-height: 1.4; cursor: pointer; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; min-height: 0; margin: .1rem 0 0; padding: 0; accent-color: var(--leaf); }
textarea { display: block; width: 100%; min-height: 7rem; margin-bottom: 1rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 10px; resize: vertical; }
textarea:focus-visible { outline-offset: 0; border-color: transparent; }
textarea[aria-invalid="true"] { border-color: var(--bad); }
`;
