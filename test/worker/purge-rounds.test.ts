import { describePurgeRounds } from './purge-rounds.ts';
import { openScene } from './scene.ts';

describePurgeRounds('SQLite', openScene);
