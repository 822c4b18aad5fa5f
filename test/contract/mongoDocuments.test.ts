import { describe, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/logger.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { documentsContract } from './documents.ts';
import { leasesContract } from './leases.ts';

const server = await anyMongo();

const open = async (options?: string) => {
  const mongo = await openMongo({ url: server.freshUrl(options), logger: silentLogger });
  onTestFinished(() => mongo.close());
  return openMongoDocuments({ mongo, prefix: 'views' });
};

describe.skipIf(!server.isHere)('documents on MongoDB', () => {
  documentsContract(() => open());
});

describe.skipIf(!server.isHere)('leases on MongoDB', () => {
  // One connection, so that what was asked for first is done first.
  leasesContract(() => open('maxPoolSize=1'));
});
