import { describeDeletions } from './deletion-matrix.ts';
import { openScene } from './scene.ts';

describeDeletions('SQLite', openScene);
