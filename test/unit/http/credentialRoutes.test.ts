import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { issueCredential } from '../../../src/commands/credentials.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { credentialRoutes } from '../../../src/http/credentials/credentialRoutes.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { served } from './served.ts';

const PATH = '/credential-service/api/v1/credentials';

/** Shows nothing that it was not waited for. */
class SlowReadModels extends MemoryReadModels {
  readonly #late: (() => void)[] = [];
  reaches = true;

  later(show: () => void): void {
    this.#late.push(show);
  }

  override async waitFor(): Promise<boolean> {
    if (!this.reaches) return false;
    for (const show of this.#late.splice(0)) show();
    return true;
  }
}

test('rotates and revokes a new credential at once, even if the read model lags behind', async () => {
  const keys = new MemoryKeys();
  const log = openEventLog({ store: new MemoryEventStore(), keys, schemas: EVENT_SCHEMAS, clock: systemClock });
  const readModels = new SlowReadModels();
  const directory = { forget: () => undefined };
  // The directory is asked to forget only.
  const deps = { log, keys, clock: systemClock, readModels, directory: directory as never, uses: { lastUsed: async () => new Map() } };
  const call = await served(credentialRoutes(deps), readModels, systemClock);
  const ask = (path: string, method: string) => call(path, 'admin', { method });
  const context = { subject: '10000000-0000-4000-8000-000000000002', actor: 'admin', correlationId: 'c', causationId: 'c' };
  const { credential } = await issueCredential({ log, keys, clock: systemClock }, { kind: 'api-key', label: 'new', role: 'user' }, context);
  readModels.reaches = false;
  expect((await ask(`${PATH}/${credential.id}/rotate`, 'POST')).status).toBe(503);
  readModels.reaches = true;
  readModels.later(() => readModels.put('credentials', credential.id, { credentialId: credential.id, revoked: false, ...credential }));
  expect((await ask(`${PATH}/${credential.id}/rotate`, 'POST')).status).toBe(200);
  expect((await ask(`${PATH}/${credential.id}`, 'DELETE')).status).toBe(204);
  expect((await ask(`${PATH}/unknown/rotate`, 'POST')).status).toBe(404);
});
