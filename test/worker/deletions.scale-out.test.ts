import { describeDeletions } from './deletion-matrix.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

describeDeletions('MongoDB and Redis', openScaleOutScene);
