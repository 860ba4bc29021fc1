const key = 'late-pages';

/**
 * The pages that began to load and did not finish, for this tab, by the ids of their versions. A page whose script never
 * ends can stop the dashboard in browsers that run both in one process: the person reloads, and the page is not tried again.
 */
export function rememberLatePages() {
  const late = new Set((sessionStorage.getItem(key) ?? '').split(' '));
  const store = () => sessionStorage.setItem(key, [...late].join(' '));
  return {
    has: (id: string) => late.has(id),
    began(id: string): void {
      late.add(id);
      store();
    },
    finished(id: string): void {
      if (late.delete(id)) store();
    },
  };
}
