import { type Endpoint, endpoints, needsLarge, type Scene } from './endpoints.ts';

/** What each call of an endpoint has cost, by endpoint and position of the scene. */
export type Costs<T> = ReadonlyMap<string, readonly (readonly T[])[]>;

const callsPerRound = 10;

/**
 * Calls the endpoints of all scenes in turn, so that other work affects all of them. The first round is not measured.
 * @param cost runs the call and returns what it has cost
 */
export async function measure<T>(
  scenes: readonly Scene[],
  { rounds, only }: { rounds: number; only: RegExp },
  cost: (call: () => Promise<void>, scene: Scene) => Promise<T>,
): Promise<Costs<T>> {
  const chosen = endpoints.filter(({ name }) => only.test(name));
  const costs = new Map(chosen.map(({ name }) => [name, scenes.map((): T[] => [])]));

  async function callInTurn(endpoint: Endpoint, n: number): Promise<void> {
    for (const [index, scene] of scenes.entries()) {
      if (needsLarge(endpoint) && scene.filled.large === null) continue;
      const isWarmUp = n < callsPerRound;
      const spent = await cost(() => callOnce(endpoint, scene, n, isWarmUp), scene);
      if (!isWarmUp) costs.get(endpoint.name)?.[index]?.push(spent);
    }
  }

  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds} …\n`);
    for (const endpoint of chosen) {
      for (let n = 0; n < callsPerRound; n++) await callInTurn(endpoint, round * callsPerRound + n);
    }
  }
  return costs;
}

/** A new process may answer 503 to the first call, which starts threads. */
async function callOnce({ name, call }: Endpoint, scene: Scene, n: number, isWarmUp: boolean): Promise<void> {
  const { status, text } = await call(scene, n);
  if (status >= 400 && !(isWarmUp && status === 503))
    throw new Error(`${name} was answered ${status}: ${text.slice(0, 300)}`);
}
