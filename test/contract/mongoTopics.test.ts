import { describe, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoTopics } from '../../src/stores/mongodb/topics.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { ManualClock } from '../manualClock.ts';
import { topicsContract } from './topics.ts';

const server = await anyMongo();

/** Tells the test's time, while followers go on asking. */
const asking = (clock: ManualClock): Clock => ({ ...systemClock, now: () => clock.now() });

describe.skipIf(!server.isHere)('topics on MongoDB', () => {
  topicsContract(async () => {
    const mongo = await openMongo({ url: server.freshUrl(), logger: silentLogger });
    onTestFinished(() => mongo.close());
    const clock = new ManualClock();
    return { topics: await openMongoTopics({ mongo, clock: asking(clock), logger: silentLogger }), clock };
  });
});
