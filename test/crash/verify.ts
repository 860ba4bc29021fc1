import type { Client } from '../support/client.ts';
import { until } from '../support/until.ts';
import type { WireCommentList, WireDrop, WireVersionListItem } from '../support/wire.ts';
import { type Acknowledged, check, type Entry, entryOf } from './acknowledged.ts';

/** Compares what the service has with what it acknowledged, and adds what turned out to be there. @throws Error that says what is lost, wrong or there twice */
export async function verify(client: Client, token: string, acknowledged: Acknowledged): Promise<void> {
  const listed = await listAll(client, token);
  const bySlug = new Map(listed.map((drop) => [drop.slug, drop]));
  for (const drop of listed) if (!acknowledged.entries.has(drop.slug)) adoptCreate(acknowledged, drop);
  for (const entry of acknowledged.entries.values())
    await verifyEntry(client, token, entry, bySlug.get(entry.slug));
  acknowledged.unknownCreates.clear(); // those that are not there now never will be

  const { body: me } = await client.get('/api/me', { token });
  check(me.drop_count === listed.length, `drop_count is ${me.drop_count}, listed are ${listed.length}`);
}

/** A create without an answer is there: then it must be whole. */
function adoptCreate(acknowledged: Acknowledged, drop: WireDrop): void {
  const mark = drop.metadata.mark ?? '';
  const posted = acknowledged.unknownCreates.get(mark);
  if (posted === undefined) throw new Error(`nobody has posted the drop ${drop.slug}, or it is there twice`);
  acknowledged.unknownCreates.delete(mark);
  acknowledged.entries.set(drop.slug, entryOf(drop.slug, posted, drop.metadata));
}

async function verifyEntry(
  client: Client,
  token: string,
  entry: Entry,
  drop: WireDrop | undefined,
): Promise<void> {
  const { slug, unknown } = entry;
  if (drop === undefined) {
    check(entry.isRemoved || unknown.removal, `the drop ${slug} is lost`);
    entry.isRemoved = true;
    check(
      (await client.get(`/p/${slug}/raw`)).status === 404,
      `the page of the removed drop ${slug} is there`,
    );
    return;
  }
  check(!entry.isRemoved, `the removed drop ${slug} is back`);
  const states = [entry.metadata, ...unknown.metadata].map((metadata) => JSON.stringify(metadata));
  check(
    states.includes(JSON.stringify(drop.metadata)),
    `the metadata of ${slug} is ${JSON.stringify(drop.metadata)}`,
  );

  const { body: items } = await client.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`, { token });
  const numbers = items.map((item) => item.version);
  check(
    drop.latest_version === numbers[0],
    `latest_version of ${slug} is ${drop.latest_version}, listed ${numbers}`,
  );
  check(
    numbers.every((number, index) => number === numbers.length - index),
    `the version numbers of ${slug} have gaps: ${numbers}`,
  );
  for (const number of entry.versions.keys())
    check(numbers.includes(number), `version ${number} of ${slug} is lost`);
  await Promise.all(numbers.map((number) => verifyVersion(client, token, entry, number)));
  check(
    new Set(entry.versions.values()).size === entry.versions.size,
    `a document is there twice, as versions of ${slug}`,
  );
  if (entry.comments.size > 0) await verifyComments(client, token, entry);
  Object.assign(entry, { metadata: drop.metadata, unknown: { versions: [], metadata: [], removal: false } });
}

/** Each is there once, and resolved by the acknowledged version that resolves it: its job may need a moment. */
async function verifyComments(
  client: Client,
  token: string,
  { slug, comments, versions }: Entry,
): Promise<void> {
  const wanted = new Map([...comments].map((id): [string, number | null] => [id, null]));
  for (const [number, { resolves }] of versions) if (resolves !== undefined) wanted.set(resolves, number);
  let fault = '';
  const isRight = async () => {
    const { body } = await client.get<WireCommentList>(`/api/comments?drop=${slug}&state=all&limit=100`, {
      token,
    });
    const found = new Map(body.data.map((comment) => [comment.id, comment]));
    const wrong = [...wanted].filter(([id, number]) => {
      const { state, resolved_by_version: by = null, replies } = found.get(id) ?? {};
      const isAsWanted = number === null ? state === 'open' : state === 'resolved' && replies?.length === 1;
      return !isAsWanted || by !== number;
    });
    fault = `comments on ${slug}: ${JSON.stringify(wrong)} are not as in ${JSON.stringify([...found.values()])}`;
    return wrong.length === 0;
  };
  await until(isRight, 'the comments are as they were acknowledged', 20_000).catch(() => check(false, fault));
}

async function verifyVersion(client: Client, token: string, entry: Entry, number: number): Promise<void> {
  const where = `version ${number} of ${entry.slug}`;
  const { body: version } = await client.get(`/api/drops/${entry.slug}/v/${number}`, { token });
  const candidates = [entry.versions.get(number) ?? entry.unknown.versions].flat();
  const posted = candidates.find(({ context }) => context === version.context);
  if (posted === undefined)
    throw new Error(`the context of ${where} is none that was posted: ${version.context}`);
  check(
    version.size_bytes === Buffer.byteLength(posted.html),
    `the size of ${where} is ${version.size_bytes}`,
  );
  const page = await client.get(`/p/${entry.slug}/raw?v=${number}`);
  check(page.status === 200, `${where} is answered ${page.status}`);
  const { head, rest } = splitAtInsertion(posted.html);
  check(
    page.text.startsWith(head) && page.text.endsWith(rest),
    `the html of ${where} is not what was posted`,
  );
  if (entry.versions.has(number)) return;
  // Its process may have ended before it asked for the job: the search for lost jobs, each 5 minutes, asks for it.
  const { resolves, ...others } = posted;
  if (resolves !== undefined) entry.comments.delete(resolves);
  entry.versions.set(number, others);
}

async function listAll(client: Client, token: string): Promise<WireDrop[]> {
  const drops: WireDrop[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/api/drops?pageSize=200&sortOrder=asc&page=${page}`, { token });
    drops.push(...body.data);
    if (page >= body.pagination.total_pages) return drops;
  }
}

/** Serving adds at the end of head; all else is the document. */
function splitAtInsertion(html: string): { head: string; rest: string } {
  const at = html.indexOf('</head>');
  return { head: html.slice(0, at), rest: html.slice(at) };
}
