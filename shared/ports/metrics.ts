/** What one method of one route counts. */
export interface RouteCounter {
  /** Counts an answer. @param seconds from the arrival of the request until the answer was handed to the system */
  answered(status: number, seconds: number): void;
}

/** Numbers about requests. */
export interface RequestMetrics {
  /**
   * The counter of a route. Call it at the start, not for each request.
   * @param path as in the table of routes, such as `/p/:slug`; `other`: paths and methods that no route has
   */
  route(method: string, path: string): RouteCounter;

  /** Counts a request whose client left before it was answered. */
  abandoned(): void;

  /** `count` is called for each scrape: the number of open connections. */
  watchConnections(count: () => number): void;
}

/** Numbers that operators watch. Labels are names of the code: never a slug, an account or an address. */
export interface Metrics {
  readonly requests: RequestMetrics;
}
