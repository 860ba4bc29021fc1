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
