// Without --only: requests.ts. --only NAME: the scene of that name, with the options that its file says; any other NAME is a
// pattern of the requests.
// usage: main.js [--only NAME] [options]
import { readOptionValue } from './harness.ts';

const scenes: Readonly<Record<string, () => Promise<unknown>>> = {
  disks: () => import('./disks.ts'),
  faults: () => import('./faults.ts'),
  gallery: () => import('./gallery.ts'),
  'gallery-loops': () => import('./gallery-loops.ts'),
  growth: () => import('./growth.ts'),
  memory: () => import('./memory.ts'),
  rolling: () => import('./rolling.ts'),
  shares: () => import('./shares.ts'),
  waiting: () => import('./waiting.ts'),
};

const requests = () => import('./requests.ts');
await (scenes[readOptionValue('--only')] ?? requests)();
