import { expect } from 'chai';

interface Published {
  readonly slug: string;
  readonly url: string;
  readonly raw_url: string;
}

/** Publishes a page at a service that runs elsewhere. */
export async function publish(base: string, token: string, html: string): Promise<Published> {
  const response = await fetch(`${base}/api/drops`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'A title', html }),
  });
  const text = await response.text();
  expect(response.status, text).to.equal(201);
  return JSON.parse(text) as Published; // proof: what is read of it is fetched
}
