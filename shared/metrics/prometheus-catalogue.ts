/** A number of the service, which is shown as `dropleaf_` and its name. */
export interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, rising. */
  readonly buckets: readonly number[];
}

const counter = (help: string, ...labels: string[]) =>
  ({ type: 'counter', help, labels, buckets: [] }) as const;
const gauge = (help: string, ...labels: string[]) => ({ type: 'gauge', help, labels, buckets: [] }) as const;
const histogram = (buckets: readonly number[], help: string, ...labels: string[]) =>
  ({ type: 'histogram', help, labels, buckets }) as const;

/** Few, because there are as many series for each route: from memory, quick, noticed, slow, near ANSWER_MS. */
const request = [0.005, 0.025, 0.1, 0.5, 2.5];
/** Up to the longest wait for an answer (2.5 s), and above it. */
const command = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];
/** From a purge to the removal of an account with thousands of drops. */
const job = [0.005, 0.025, 0.1, 0.5, 2.5, 30];
/** Up to the timeout of a purge. */
const purge = [0.025, 0.1, 0.5, 2.5];
const notice = [0.001, 0.005, 0.025, 0.1, 0.5, 1];

/** Every number of the service. Those that a process does not register are not shown. */
export const catalogue = {
  build_info: gauge('Always 1: the release and the engine are the labels', 'version', 'engine'),
  ready: gauge('Whether reads and writes work, as GET /readyz says: 1 or 0'),

  http_request_duration_seconds: histogram(
    request,
    'Time that the service takes to answer a request, by method and route: without waits for the rest of a body, for a comment (wait=25) and for the reader of a download',
    'method',
    'route',
  ),
  http_requests_total: counter(
    'Answered requests by method, route and class of status (2xx to 5xx)',
    'method',
    'route',
    'status',
  ),
  http_requests_abandoned_total: counter('Requests whose clients left before they were answered'),
  http_connections: gauge('Open connections of clients'),

  limit_hits_total: counter('Requests that were refused because a limit was reached, by limit', 'limit'),
  publishes_total: counter('Published drops and new versions of drops', 'kind'),
  sign_ins_total: counter(
    'Steps of sign-ins: of programs (started, approved, denied, claimed), and sessions of browsers that began',
    'step',
  ),
  reports_total: counter(
    'Reports of pages by what became of them: full: the drop has REPORTS_OPEN_PER_DROP open reports',
    'result',
  ),
  views_recorded_total: counter('Views of pages that this process counted and the store recorded'),
  views_unrecorded: gauge('Views that this process has counted and not recorded yet'),

  page_change_notice_duration_seconds: histogram(
    notice,
    'Time that changes of pages waited until no process shows the page as it was: 1.1 s if not all confirmed',
  ),
  page_memory_lookups_total: counter(
    'Lookups in memory by what was looked for: a hit spares a read of the store',
    'memory',
    'result',
  ),
  page_memory_entries: gauge('Entries in memory', 'memory'),
  page_memory_bytes: gauge('Size of the entries in memory', 'memory'),
  page_memory_max_bytes: gauge('What they may take at most (PAGE_CACHE_BYTES)', 'memory'),
  page_memory_discarded_reads_total: counter(
    'Pages that were read and not kept in memory, because they changed meanwhile',
  ),
  render_queue_length: gauge('Pages, contexts and cards that wait for their turn to be rendered', 'queue'),

  edge_purges_total: counter(
    'Purges by result: limited: the edge asks to wait; failed: it did not confirm. Jobs repeat both',
    'result',
  ),
  edge_purge_duration_seconds: histogram(purge, 'Time from a purge until the edge confirmed it or did not'),

  job_run_duration_seconds: histogram(
    job,
    'Duration of the runs of jobs in this process, failed ones included',
    'name',
  ),
  job_run_failures_total: counter('Runs of jobs that failed; most are repeated', 'name'),
  jobs: gauge(
    'Jobs in the queue of all processes, by name and state (waiting, active, failed); none if it does not answer',
    'name',
    'state',
  ),
  job_overdue_seconds: gauge(
    'For how long the oldest job of the name is due and has not begun; 0: none is due',
    'name',
  ),
  job_queue_up: gauge('Whether the job queue answered: 1 or 0'),

  thread_task_duration_seconds: histogram(
    request, // from a context of a few lines to the timeout of a page (RENDER_BUDGET_MS)
    'Time of a task in a thread, its wait for a free thread included',
    'task',
  ),
  thread_task_failures_total: counter(
    'Tasks in threads without the wanted result: too slow, too large, or a thread died; readers get a simpler one',
    'task',
  ),
  thread_tasks_running: gauge('Tasks that threads run, or that wait for a free thread', 'task'),

  mongodb_command_duration_seconds: histogram(
    command,
    'Time from sending a command to MongoDB until its answer, failed commands included',
    'command',
  ),
  mongodb_command_failures_total: counter(
    'Commands that MongoDB refused or did not answer; not_sent: no server was available',
    'command',
  ),
  redis_command_duration_seconds: histogram(
    command,
    'Time from sending a command to Redis until its answer, failed commands included',
    'command',
  ),
  redis_command_failures_total: counter(
    'Commands that Redis refused or did not answer; not_sent: no server was available',
    'command',
  ),
  sqlite_transaction_duration_seconds: histogram(
    command,
    'Time that a transaction of SQLite blocked the event loop',
  ),
  sqlite_flush_duration_seconds: histogram(
    command,
    "Time that a flush of SQLite's write-ahead log to the disk took; the writes that wait for it share it",
  ),
  sqlite_writes_total: counter('Writes to SQLite; those of one turn of the event loop share a transaction'),
  sqlite_transaction_failures_total: counter(
    'Transactions, reads and flushes of SQLite that failed: the disk is full or broken, or another process held the database',
  ),
  sqlite_file_bytes: gauge('Size of the database file and of its write-ahead log', 'file'),
  data_free_bytes: gauge('Space on the disk of DATA_DIR that the service may fill'),
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof catalogue;
