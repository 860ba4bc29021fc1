import { Gauge, type Registry } from 'prom-client';
import { type Metrics, type ThreadTask, threadTasks } from '../../ports/metrics.ts';
import { createHistogram, timed } from './histogram.ts';
import { createEventCounter } from './metric-kinds.ts';

/** From a context of a few lines to the timeout of a page (RENDER_BUDGET_MS). */
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5];

/** Tasks for which an error or null says something about the input. */
const judgeInput: readonly ThreadTask[] = ['parse_json', 'find_title'];

type Call = (...args: unknown[]) => Promise<unknown>;

/** Work that is given to threads, so that hostile input does not block the event loop. */
export function createTaskMetrics(registry: Registry): Pick<Metrics, 'watchTask' | 'taskFailed'> {
  const durations = createHistogram(registry, {
    name: 'dropleaf_thread_task_duration_seconds',
    help: 'Time of a task in a thread, its wait for a free thread included',
    labels: ['task'],
    buckets,
  });
  const taskFailed = createEventCounter(registry, {
    name: 'dropleaf_thread_task_failures_total',
    help: 'Tasks in threads without the wanted result: too slow, too large, or a thread died; readers get a simpler one',
    label: 'task',
    values: threadTasks.filter((task) => !judgeInput.includes(task)),
  });
  const running = new Gauge({
    name: 'dropleaf_thread_tasks_running',
    help: 'Tasks that threads run, or that wait for a free thread',
    labelNames: ['task'],
    registers: [registry],
  });

  function watch(task: ThreadTask, call: Call): Call {
    const run = timed(durations.tally(task), call);
    running.set({ task }, 0);
    return async (...args) => {
      running.inc({ task });
      let result: unknown = null;
      try {
        result = await run(...args);
        return result;
      } finally {
        running.dec({ task });
        if (result === null && !judgeInput.includes(task)) taskFailed(task);
      }
    };
  }

  return {
    watchTask(task, method, worker) {
      const call = worker[method] as unknown as Call; // proof: its arguments and result are handed on as they are
      return { ...worker, [method]: watch(task, call) };
    },
    taskFailed,
  };
}
