import { startEmbedded } from './behind-varnish.ts';
import { describeVarnish } from './varnish-cases.ts';

describeVarnish('SQLite', startEmbedded);
