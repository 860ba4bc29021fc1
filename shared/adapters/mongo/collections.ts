import type { Connection, mongo } from 'mongoose';
import { accountModel } from './account-store.ts';
import { auditModel } from './audit-log.ts';
import { contextModel } from './context-store.ts';
import { dropModel } from './drop-schema.ts';
import { looseFileModel } from './loose-files.ts';
import { renderModel } from './render-schema.ts';
import { reportModel } from './report-store.ts';
import { secretModel } from './secret-store.ts';
import { signInModel } from './sign-in-store.ts';
import { tokenModel } from './token-store.ts';
import { dayViewsModel } from './view-totals.ts';

/** What is to be there for the stores, beside the index of ids that each collection has. */
export interface CollectionPlan {
  readonly name: string;
  readonly indexes: readonly IndexPlan[];
}

export interface IndexPlan {
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly unique?: true;
  readonly partialFilterExpression?: mongo.Document;
}

const models = [
  accountModel,
  tokenModel,
  signInModel,
  dropModel,
  dayViewsModel,
  contextModel,
  renderModel,
  looseFileModel,
  reportModel,
  secretModel,
  auditModel,
];

/** Every collection of the stores. */
export function collectionsOf(connection: Connection): CollectionPlan[] {
  const ofModels = models.map((modelOf) => {
    const { collection, schema } = modelOf(connection);
    // proof: each schema names its indexes, with keys of 1 and -1 only
    const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as IndexPlan);
    return { name: collection.name, indexes };
  });
  return [...ofModels, ...['html', 'rendered'].flatMap(bucketOf)];
}

/** As the driver would make them, which looks for them before the first upload. */
function bucketOf(bucket: string): CollectionPlan[] {
  const files = { name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } };
  const chunks = { name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true as const };
  return [
    { name: `${bucket}.files`, indexes: [files] },
    { name: `${bucket}.chunks`, indexes: [chunks] },
  ];
}
