import { startScaleOut } from './behind-varnish.ts';
import { describeVarnish } from './varnish-cases.ts';

describeVarnish('MongoDB and Redis', startScaleOut);
