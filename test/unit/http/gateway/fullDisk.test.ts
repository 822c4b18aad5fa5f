import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../../../src/stores/eventStore.ts';
import type { Topics } from '../../../../src/stores/topics.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { startGateway } from './gatewayServer.ts';

/** The real topics, except that one operation fails while `broken` holds. */
const failing = (operation: 'create' | 'append' | 'seal', broken: { now: boolean }) => (topics: Topics) =>
  new Proxy(topics, {
    get: (target, name) => {
      if (name === operation && broken.now) return () => Promise.reject(new StoreUnavailable('the disk is full'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

test.each([
  ['create', undefined],
  ['append', 'FAILED'],
  ['seal', 'FAILED'],
] as const)(
  'a full disk at the %s of a topic is 503 with the stream %s, and uploads continue once there is room',
  async (operation, state) => {
    const broken = { now: true };
    const gateway = await startGateway(temporaryDirectory(), { around: failing(operation, broken) });
    try {
      const send = (id: string) =>
        fetch(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=65f46430c6d8985974ff9c9d&id=${id}`, {
          method: 'POST',
          // Larger than what is stored at once.
          body: 'x'.repeat(65_537),
        });
      const [id, later] = [randomUUID(), randomUUID()];
      const refused = await send(id);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBeTruthy();
      expect((await gateway.streamOf(id))?.stream.state).toBe(state);
      broken.now = false;
      expect((await send(later)).status).toBe(200);
    } finally {
      await gateway.close();
    }
  },
);
