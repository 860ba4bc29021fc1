import { openScene, type Scene, type WorkerProcess } from './scene.ts';

/** A scene and a worker process for each test of the surrounding suite. */
export function useScene() {
  let current: { scene: Scene; process: WorkerProcess } | undefined;

  beforeEach(() => {
    const scene = openScene();
    current = { scene, process: scene.startProcess() };
  });

  afterEach(() => current?.scene.close());

  return () => {
    if (current === undefined) throw new Error('The scene is open during tests only');
    const { scene, process } = current;
    return {
      scene,
      process,
      /** The record of a drop, as jobs see it. */
      find: (dropId: string) => scene.stores.pendingTasks.find(dropId),
      tasksOf: async (dropId: string) => (await scene.stores.pendingTasks.find(dropId))?.tasks,
      now: () => scene.clock.now(),
    };
  };
}
