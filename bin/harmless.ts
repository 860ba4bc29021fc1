/** Without what a terminal would obey, or show in another order: it may hold what somebody sent. */
export function harmless(line: string): string {
  return line.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
