import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../../src/domain/eventSchemas.ts';
import { uploadKeyId } from '../../../../src/domain/stream/uploadKey.ts';
import { uuidv5 } from '../../../../src/domain/uuidv5.ts';
import { identify } from '../../../../src/http/gateway/idempotency.ts';
import { fingerprintOf, type UploadParameters } from '../../../../src/http/gateway/uploadParameters.ts';
import { openEventLog } from '../../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../../fakes/memoryKeys.ts';
import { streamCreated } from '../../../fakes/streamStory.ts';
import { slowSteps } from '../../../slowSteps.ts';
import { turnsOf } from '../../../turnsOf.ts';
import { OWNER } from '../served.ts';

const CALLER = { subject: OWNER, actor: 'test', roles: ['user' as const] };
const CONTEXT = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
const PARAMETERS: UploadParameters = {
  ...{ id: null, name: null, groupId: null, templateId: 't', patches: [], webhooks: [], idempotencyKey: 'key' },
  persist: { persist: false, tags: [], match: 'ANY' },
};

test('looks at many failed tries of a key in several turns of the event loop', async () => {
  slowSteps();
  const log = openEventLog({ store: new MemoryEventStore(), keys: new MemoryKeys(), schemas: EVENT_SCHEMAS, clock: systemClock });
  const fingerprint = fingerprintOf(PARAMETERS);
  for (let attempt = 1; attempt <= 200; attempt += 1) {
    const streamId = attempt === 1 ? uploadKeyId(OWNER, 'key') : uuidv5(OWNER, `key#${attempt}`);
    const created = streamCreated([], { streamId, creatorId: OWNER, idempotency: { fingerprint, attempt } });
    const failed = { type: 'UploadFailed' as const, data: { reason: 'The client left' } };
    await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, [created, failed], CONTEXT);
  }
  const identified = () => identify(log, PARAMETERS, CALLER, () => 'random');
  expect(await identified()).toMatchObject({ kind: 'new', identity: { idempotency: { attempt: 201 } } });
  expect(await turnsOf(identified)).toBeGreaterThanOrEqual(10);
});
