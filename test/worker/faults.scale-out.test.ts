import { describeDeletions } from './deletion-matrix.ts';
import { describeFaultMatrix } from './fault-matrix.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

describeFaultMatrix('MongoDB and Redis', openScaleOutScene);
describeDeletions('MongoDB and Redis', openScaleOutScene);
