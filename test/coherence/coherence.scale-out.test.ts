import { describeCoherence } from './coherence-cases.ts';

describeCoherence('Coherence of two web processes', 'scale-out', 'slow-mongo', 10);
