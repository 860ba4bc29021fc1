// On every page of the dashboard and on the viewer: copy buttons and times. Pages work without it.
import { startCopyButtons } from './shared/copy.ts';
import { startTimes } from './shared/times.ts';

startCopyButtons();
startTimes();
