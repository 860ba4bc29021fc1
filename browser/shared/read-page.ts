/** The page as it is now; null: it cannot be read. XMLHttpRequest makes a document of an answer; `DOMParser` would need a policy of trusted types. */
export function readPage(url: string): Promise<Document | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'document';
    request.setRequestHeader('accept', 'text/html');
    request.addEventListener('loadend', () => resolve(request.responseXML));
    request.send();
  });
}

/** Shows what waits for the owner now, in the header and in the title. @param page of the same address, just read */
export function renewInbox(page: Document): void {
  const fresh = page.querySelector('[data-inbox]');
  if (fresh === null) return;
  document.querySelector('[data-inbox]')?.replaceWith(fresh);
  document.title = page.title;
}
