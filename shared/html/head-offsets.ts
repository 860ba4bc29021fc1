interface Offset {
  readonly offset: number;
  /** How many children head has there. */
  readonly children: number;
}

/** The offsets in head that a scan has seen. */
export class HeadOffsets {
  #first: Offset | null = null;
  #previous: Offset | null = null;
  #last: Offset | null = null;
  #headEnd: Offset | null = null;

  add(offset: number, children: number): void {
    if (this.#last?.offset !== offset) this.#previous = this.#last;
    this.#last = { offset, children };
    this.#first ??= this.#last;
  }

  /** The start of the `</head>` that closed head. */
  setHeadEnd(offset: number, children: number): void {
    this.#headEnd = { offset, children };
  }

  /** Best first: before `</head>`, unless head got more children after it; the last, the previous, the first. */
  list(): number[] {
    const best = this.#headEnd?.children === this.#last?.children ? this.#headEnd : null;
    const found = [best, this.#last, this.#previous, this.#first].filter((entry) => entry !== null);
    return [...new Set(found.map(({ offset }) => offset))];
  }
}
