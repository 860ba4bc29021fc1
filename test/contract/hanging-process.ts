import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts real processes that ask for a job and hang in its handler (`job-queue.child.ts`).
 * @param where what the child is told about the line of jobs
 */
export function createHangingProcesses(where: object) {
  const script = fileURLToPath(new URL('./job-queue.child.js', import.meta.url));
  const children: ChildProcess[] = [];
  return {
    /** Returns once the handler was entered. */
    async open(dropId: string): Promise<{ kill(): Promise<void> }> {
      const args = [script, JSON.stringify(where), dropId];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      await once(child.stdout, 'data');
      return {
        async kill() {
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          await exit;
        },
      };
    },

    /** Also those of a test that has failed before it did. */
    killAll(): void {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
