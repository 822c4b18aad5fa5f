import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/clock.ts';
import type { AppendContext } from '../src/commands/handle.ts';
import { saveWebhookEndpoint, toggleWebhookEndpoint } from '../src/commands/webhookEndpoints.ts';
import { EVENT_SCHEMAS } from '../src/domain/eventSchemas.ts';
import { type EndpointSettings, webhookEndpointsEventStream } from '../src/domain/webhookEndpoints/events.ts';
import { openEmbeddedEventStore } from '../src/stores/embedded/eventStore.ts';
import type { EventStore, ExpectedRevision, NewStoredEvent } from '../src/stores/eventStore.ts';
import type { EventLog } from '../src/stores/log/eventLog.ts';
import { openEventLog } from '../src/stores/log/openEventLog.ts';
import { defineBench } from './frame.ts';

const CALLERS = 32;
const COMMANDS = 120;

const REQUEST = randomUUID();
const by = (subject: string): AppendContext => ({ subject, actor: 'bench', correlationId: REQUEST, causationId: REQUEST });

const SETTINGS = {
  url: 'https://example.com/hooks/tributary',
  events: ['stream.*'],
  enabled: true,
  description: null,
  payload: 'full',
  headers: {},
  filter: null,
  retryWindow: null,
} satisfies EndpointSettings;

/** A user with one webhook endpoint. */
interface User {
  readonly subject: string;
  readonly endpointId: string;
}

/** Command number n of a user, from 0. */
type Command = (log: EventLog, user: User, n: number) => Promise<unknown>;

const CASES: { label: string; command: Command }[] = [
  {
    label: 'toggle',
    command: (log, { subject, endpointId }, n) =>
      toggleWebhookEndpoint({ log }, { endpointId, enabled: n % 2 === 1, ifMatch: null }, by(subject)),
  },
  {
    label: 'update, URL encrypted',
    command: (log, { subject, endpointId }, n) =>
      saveWebhookEndpoint({ log }, { endpointId, settings: { ...SETTINGS, url: `${SETTINGS.url}/${n}` }, ifMatch: null }, by(subject)),
  },
];

/** Subject keys as the vault returns them from its cache. */
const rememberedKeys = () => {
  const keys = new Map<string, Buffer>();
  const keyOf = async (name: string) => {
    const key = keys.get(name) ?? randomBytes(32);
    keys.set(name, key);
    return key;
  };
  return { subjectKey: keyOf, eventStreamKey: keyOf };
};

const rate = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (CALLERS * COMMANDS * 1_000) / (performance.now() - start);
};

const newUser = async (log: EventLog): Promise<User> => {
  const subject = randomUUID();
  const { endpointId } = await saveWebhookEndpoint({ log }, { endpointId: null, settings: SETTINGS, ifMatch: null }, by(subject));
  return { subject, endpointId };
};

/** Every caller is a separate user, new in each round. */
const commands = async (log: EventLog, command: Command): Promise<number> => {
  const users = await Promise.all(Array.from({ length: CALLERS }, () => newUser(log)));
  return rate(() =>
    Promise.all(
      users.map(async (user) => {
        for (let n = 0; n < COMMANDS; n++) await command(log, user, n);
      }),
    ),
  );
};

/** Events of the same form as the command stores, made in advance, through the port only. */
const appends = async (store: EventStore, sample: NewStoredEvent): Promise<number> => {
  const given = Array.from({ length: CALLERS }, () =>
    Array.from({ length: COMMANDS }, () => ({ ...sample, id: randomUUID(), data: { ...sample.data }, metadata: { ...sample.metadata } })),
  );
  return rate(() =>
    Promise.all(
      given.map(async (events) => {
        const eventStream = webhookEndpointsEventStream(randomUUID());
        let expected: ExpectedRevision = 'no stream';
        for (const event of events) expected = (await store.append(eventStream, expected, [event])).revision;
      }),
    ),
  );
};

/** What the command stores, once. */
const sampleOf = async (store: EventStore, log: EventLog, command: Command): Promise<NewStoredEvent> => {
  await command(log, await newUser(log), 0);
  const [stored] = await store.readAll({ after: null, direction: 'backwards', limit: 1 });
  if (!stored) throw new Error('the command stored nothing');
  const { id, type, data, metadata } = stored;
  return { id, type, data, metadata };
};

/** A command by 32 callers, one user each (load, decide, codec, append), compared with the same appends through the port only. */
export const command = defineBench({
  name: 'command',
  bar: 0.6,
  run: async (compare) => {
    const directory = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
    const store = await openEmbeddedEventStore({ dataDir: directory, clock: systemClock });
    const log = openEventLog({ store, keys: rememberedKeys(), schemas: EVENT_SCHEMAS, clock: systemClock });
    for (const { label, command } of CASES) {
      const sample = await sampleOf(store, log, command);
      await compare(label, { unit: 'commands/s', ours: () => commands(log, command), baseline: () => appends(store, sample) });
    }
    await store.close();
    rmSync(directory, { recursive: true });
  },
});
