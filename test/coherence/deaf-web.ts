// A web process on which notices of changes have no effect, though it confirms them. Prints its URL; logs nothing.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createWebServer, startWeb } from '../../api/server/start-web.ts';
import { atPort, readConfig } from '../../shared/config/config.ts';
import { openServices } from '../../shared/engines/open-services.ts';
import { migrateStores } from '../../shared/engines/open-stores.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const config = readConfig(process.env);
const server = createWebServer();
await once(server.listen(0, config.HOST), 'listening');
const { port } = server.address() as AddressInfo; // proof: it listens on a port, not on a pipe
await migrateStores(config, { log: createRecordingLog() });
const services = await openServices(atPort(config, port), {
  log: createRecordingLog(),
  adaptEngine: (engine) => ({
    ...engine,
    pageChanges: { ...methodsOf(engine.pageChanges), subscribe: () => undefined },
  }),
});
await startWeb(services, server);
startWorker(services);
process.stdout.write(`http://127.0.0.1:${port}\n`);
