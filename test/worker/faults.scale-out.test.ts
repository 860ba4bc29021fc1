import { describeDeletions } from './deletion-matrix.ts';
import { describeFaultMatrix } from './fault-matrix.ts';
import type { FaultKind } from './faults.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

// Before a step the stores are as they are after the step before it: SQLite has all four kinds. The end of a process is what
// the two engines answer in ways of their own.
const kinds: readonly FaultKind[] = ['fails after it has done its work', 'ends the process after'];
describeFaultMatrix('MongoDB and Redis', openScaleOutScene, kinds);
describeDeletions('MongoDB and Redis', openScaleOutScene);
