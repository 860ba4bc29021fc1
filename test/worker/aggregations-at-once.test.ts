import { describeAggregationsAtOnce } from './aggregations-at-once.ts';
import { openScene } from './scene.ts';

describeAggregationsAtOnce('SQLite', openScene);
