import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { createAssetSender } from '../http/send-asset.ts';
import { describeApi, type Endpoint } from '../openapi/document.ts';
import { presentDiscovery } from './discovery.ts';

const type = 'application/json; charset=utf-8';
/** Limits may be set otherwise at the next start. */
const cacheControl = 'public, max-age=300';

/** Spec section 9: what the service says of its interface; made once, when it starts. */
export function descriptionHandlers({ config }: Pick<Services, 'config'>) {
  const asJson = (value: object) =>
    createAssetSender({ type, cacheControl, bytes: Buffer.from(JSON.stringify(value)) });
  let send = asJson({});

  return {
    /** Takes the endpoints that are described. Once, before the first request: its own route is among them. */
    publish(endpoints: readonly Endpoint[]): void {
      send = asJson(describeApi(config, endpoints));
    },

    read: (req: Request, res: Response) => send(req, res),
    discover: asJson(presentDiscovery(config)),
  };
}
