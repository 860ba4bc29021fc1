/** Whether the tests are those of a landing (test/run.ts), which leave to `npm run test:all` what takes long. */
export const isLanding = process.env.TEST_LANDING === '1';
