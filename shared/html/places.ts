/** Collects, in the order of the document, where children can be added to head. */
export interface Places {
  /** @param children how many head has there */
  add(place: number, children: number): void;

  /** The start of the `</head>` that closed head. */
  close(place: number, children: number): void;

  /**
   * The best first: before `</head>` unless a later element was put into head all the same, the last place,
   * the one before it, the first one.
   */
  list(): number[];
}

interface Place {
  readonly place: number;
  readonly children: number;
}

export function createPlaces(): Places {
  let first: Place | null = null;
  let previous: Place | null = null;
  let last: Place | null = null;
  let end: Place | null = null;

  return {
    add(place, children) {
      if (last?.place !== place) previous = last;
      last = { place, children };
      first ??= last;
    },
    close(place, children) {
      end = { place, children };
    },
    list() {
      const best = end?.children === last?.children ? end : null;
      const places = [best, last, previous, first].flatMap((entry) => (entry ? [entry.place] : []));
      return [...new Set(places)];
    },
  };
}
