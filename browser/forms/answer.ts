/** What the service, or something on the way to it, has answered to a form. */
export interface Answer {
  /** 0: there is no answer. */
  readonly status: number;
  /** Whether it was waited for in vain. */
  readonly isLate: boolean;
  /** The page of ours that it is; null: it is none. */
  readonly page: Document | null;
  /** Where the form leads; null: nowhere else. */
  readonly leadsTo: string | null;
  /** The error that the page shows; null: none. */
  readonly error: Envelope['error'] | null;
}

/** What api/html/forms.ts puts into a page. */
interface Envelope {
  readonly error: { readonly code: string; readonly details?: { readonly field?: unknown } };
}

/** Longer than the service may take (ANSWER_MS), counted from the last byte that was sent. */
const patienceMs = 60_000;

/** Never rejects. XMLHttpRequest makes a document of the answer (read-page.ts). */
export function post(address: URL, body: FormData | URLSearchParams): Promise<Answer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let isLate = false;
    const giveUp = () => {
      isLate = true;
      request.abort();
    };
    let timer = setTimeout(giveUp, patienceMs);
    request.open('POST', address);
    request.responseType = 'document';
    request.setRequestHeader('Accept', 'text/html');
    request.setRequestHeader('X-Dropleaf-Form', window === window.top ? 'page' : 'frame');
    request.upload.addEventListener('progress', () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, patienceMs);
    });
    request.addEventListener('loadend', () => {
      clearTimeout(timer);
      resolve(read(request, address, isLate));
    });
    request.send(body);
  });
}

function read(request: XMLHttpRequest, address: URL, isLate: boolean): Answer {
  const { status } = request;
  // Anything else would be read as XML, and the browser's own page about its errors has a style that our policy refuses.
  const isPage = request.getResponseHeader('Content-Type')?.startsWith('text/html');
  const found = isPage ? request.responseXML : null;
  const page = found?.querySelector('body:is(.narrow, .bare, .wide) > main') ? found : null;
  const data = page?.getElementById('error')?.textContent;
  const envelope = data ? (JSON.parse(data) as Envelope) : null; // proof: the service wrote it
  return {
    status,
    isLate,
    page,
    leadsTo: request.getResponseHeader('Location') ?? onwards(page) ?? movedTo(request, address, page),
    error: envelope?.error ?? null,
  };
}

/** A page that leads to an identity provider: browsers apply `form-action` to redirects. */
function onwards(page: Document | null): string | null {
  const refresh = page?.querySelector<HTMLMetaElement>('meta[http-equiv="refresh"]');
  return refresh ? refresh.content.slice('0; url='.length) : null; // as providerPage writes it
}

/** A process of an earlier release redirects. */
function movedTo(
  { responseURL, status }: XMLHttpRequest,
  { href }: URL,
  page: Document | null,
): string | null {
  return page !== null && status < 400 && responseURL !== href.split('#')[0] ? responseURL : null;
}
