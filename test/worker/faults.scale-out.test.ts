import { describeDeletions } from './deletion-matrix.ts';
import { describeFaultMatrix } from './fault-matrix.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

// Before a step the stores are as they are after the step before it: SQLite has all four kinds.
const kinds = ['fails after it has done its work', 'ends the process after'] as const;
describeFaultMatrix('MongoDB and Redis', openScaleOutScene, kinds);
describeDeletions('MongoDB and Redis', openScaleOutScene);
