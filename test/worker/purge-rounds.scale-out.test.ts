import { describePurgeRounds } from './purge-rounds.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

describePurgeRounds('MongoDB and Redis', openScaleOutScene);
