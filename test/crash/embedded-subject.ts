import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { dropleaf, type RunningService, startDropleaf } from '../bin/command.ts';
import { makeData } from '../bin/home.ts';
import { roundSettings, type Subject } from './rounds.ts';

/** The embedded engine: one process. @param dataDir an empty directory */
export async function createEmbeddedSubject(dataDir: string): Promise<Subject> {
  const env = { ...roundSettings, DATA_DIR: dataDir };
  await makeData(dataDir);
  const { stdout, stderr } = await dropleaf(['token', '--user', 'crash'], { DATA_DIR: dataDir });
  const token = stdout.trim();
  if (token === '') throw new Error(`no token was made: ${stderr}`);
  let running: RunningService | null = null;

  async function kill(): Promise<void> {
    running?.kill('SIGKILL');
    await running?.ended();
    running = null;
  }

  return {
    token,
    async start() {
      running ??= await startDropleaf(env);
      return [running.url];
    },
    kill,
    async checkData() {
      await kill();
      checkIntegrity(dataDir);
    },
    async withSettings(settings, use) {
      await kill(); // the data has one service at a time
      running = await startDropleaf({ ...env, ...settings });
      await use(running.url);
      await kill();
    },
    close: kill,
  };
}

function checkIntegrity(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'dropleaf.sqlite'));
  try {
    const found = JSON.stringify(db.prepare('PRAGMA integrity_check').all());
    if (found !== '[{"integrity_check":"ok"}]') throw new Error(`integrity_check: ${found}`);
    const broken = JSON.stringify(db.prepare('PRAGMA foreign_key_check').all());
    if (broken !== '[]') throw new Error(`foreign_key_check: ${broken}`);
  } finally {
    db.close();
  }
}
