import { describeFaultMatrix } from './fault-matrix.ts';
import { openScene } from './scene.ts';

describeFaultMatrix('SQLite', openScene);
