import { openBullmqWorld } from './bullmq-world.ts';
import { describeJobKeys } from './job-keys.contract.ts';
import { describeJobQueue } from './job-queue.contract.ts';
import { describeJobReport } from './job-report.contract.ts';

describeJobQueue('BullMQ', openBullmqWorld);
describeJobKeys('BullMQ', openBullmqWorld);
describeJobReport('BullMQ', openBullmqWorld);
