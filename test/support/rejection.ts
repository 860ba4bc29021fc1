/** The error that the promise is rejected with. @throws Error when it is not, or with something else */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`Rejected with ${String(outcome)}, and not with an error`);
}
