import { describeCoherence } from './coherence-cases.ts';

describeCoherence('Coherence of one process and the operator', 'embedded', 'none', 4);
