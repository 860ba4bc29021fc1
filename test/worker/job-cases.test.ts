import { expect } from 'chai';
import { jobNames } from '../../shared/jobs/job-catalogue.ts';
import { jobCases } from './job-cases.ts';

describe('the jobs that meet a fault at each step', () => {
  it('are all jobs of the catalogue', () => {
    const covered = new Set(jobCases.map(({ job }) => job));
    expect([...covered], 'without a case in test/worker/job-cases.ts').to.have.members(jobNames);
  });
});
