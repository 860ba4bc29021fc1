/** What the runner asks of a test process. */
export type TestRequest =
  | { readonly kind: 'run'; readonly file: TestFile }
  /** Stop after the test that runs. */
  | { readonly kind: 'abort' }
  /** No more files: close what the files shared, and exit. */
  | { readonly kind: 'end' };

/** A test file, and the engine that its services have. */
export interface TestFile {
  /** The compiled file, absolute. */
  readonly path: string;
  /** The source, from the project's folder. */
  readonly source: string;
  readonly engine: 'embedded' | 'scale-out';
  /** It runs on the embedded engine, too, which a command means that names none. */
  readonly isAgain: boolean;
}

/** What a test process says of its file. */
export type TestEvent =
  | { readonly kind: 'passed'; readonly title: string; readonly ms: number }
  | { readonly kind: 'skipped'; readonly title: string; readonly reason: string }
  | ({ readonly kind: 'failed' } & Failure)
  | ({ readonly kind: 'ended' } & FileEnd);

/** The last event of a file. */
export interface FileEnd {
  readonly ms: number;
  /** CPU time of the process, all of its threads, since it ended the file before: with the start, or loading. */
  readonly cpuMs: number;
  readonly notRun: number;
  readonly timedOut: boolean;
}

/** A test or hook that failed. */
export interface Failure {
  readonly title: string;
  /** The error, the value that was not expected, and where. */
  readonly text: string;
  /** Selects the failed tests of the file; null: they are all of it. */
  readonly pattern: string | null;
}
