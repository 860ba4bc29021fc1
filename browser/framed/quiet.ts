/** The function without its errors: they would be the page's, whose own handlers of errors would hear of them. */
export function quiet<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      run(...args);
    } catch {
      // the page works without comments
    }
  };
}
