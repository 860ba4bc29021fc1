const key = 'late-pages';

/**
 * The pages that began to load and did not finish, for this tab, by the ids of their versions. A page whose script never
 * ends can stop the dashboard in browsers that run both in one process: the person reloads, and the page is not tried again.
 */
export function rememberLatePages() {
  const late = new Set((sessionStorage.getItem(key) ?? '').split(' '));
  return {
    has: (id: string) => late.has(id),
    note(id: string, isLate: boolean): void {
      if (isLate) late.add(id);
      else late.delete(id);
      sessionStorage.setItem(key, [...late].join(' '));
    },
  };
}
