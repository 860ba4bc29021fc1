import { describeAggregationsAtOnce } from './aggregations-at-once.ts';
import { openScaleOutScene } from './scale-out-scene.ts';

describeAggregationsAtOnce('MongoDB and Redis', openScaleOutScene);
