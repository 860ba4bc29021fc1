/** As `\s` of an expression. @param code a UTF-16 unit, or NaN */
export function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return code >= 160 && /\s/.test(String.fromCharCode(code));
}

export function isLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 97 && letter <= 122;
}
