import { describeDeletions } from './deletion-matrix.ts';
import { describeFaultMatrix } from './fault-matrix.ts';
import { openScene } from './scene.ts';

describeFaultMatrix('SQLite', openScene);
describeDeletions('SQLite', openScene);
