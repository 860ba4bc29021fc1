interface Group {
  readonly tags: Set<string>;
  readonly sent: Promise<void>;
}

/**
 * Gathers tags that are asked for at about the same time into one request, for an edge that counts requests. A tag is
 * never added to a request that is on its way: that one may be too early for it.
 * @param atMost tags in a request
 * @param waitAtMost how long the first tag waits for others
 * @param send tells the edge; what it throws every tag of the request is told
 */
export function createGathering(options: {
  atMost: number;
  waitAtMost: number;
  send(tags: readonly string[]): Promise<void>;
}): (tag: string) => Promise<void> {
  const { atMost, waitAtMost, send } = options;
  let open: Group | null = null;

  function openGroup(): Group {
    const tags = new Set<string>();
    const sent = new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        if (open?.tags === tags) open = null;
        send([...tags]).then(resolve, reject);
      }, waitAtMost);
    });
    return { tags, sent };
  }

  return (tag) => {
    if (open === null || (open.tags.size >= atMost && !open.tags.has(tag))) open = openGroup();
    open.tags.add(tag);
    return open.sent;
  };
}
