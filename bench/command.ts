import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/clock.ts';
import { issueCredential, rotateCredential } from '../src/commands/credentials.ts';
import type { AppendContext } from '../src/commands/handle.ts';
import { credentialsEventStream } from '../src/domain/credentials.ts';
import { EVENT_SCHEMAS } from '../src/domain/eventSchemas.ts';
import { openEmbeddedEventStore } from '../src/stores/embedded/eventStore.ts';
import type { EventLog } from '../src/stores/eventLog.ts';
import type { EventStore, ExpectedRevision, NewStoredEvent } from '../src/stores/eventStore.ts';
import { openEventLog } from '../src/stores/openEventLog.ts';
import { defineBench } from './frame.ts';

const CALLERS = 32;
const COMMANDS = 120;

const REQUEST = randomUUID();
const by = (subject: string): AppendContext => ({ subject, actor: 'bench', correlationId: REQUEST, causationId: REQUEST });

/** One command by a caller whose subject has a credential. */
type Command = (log: EventLog, subject: string, credentialId: string) => Promise<unknown>;

/** `fresh`: each command has an event stream of its own. */
const CASES: { label: string; command: Command; fresh?: boolean }[] = [
  { label: 'rotate', command: (log, subject, credentialId) => rotateCredential({ log }, { subject, credentialId }, by(subject)) },
  {
    label: 'issue, label encrypted',
    command: (log) => issueCredential({ log, clock: systemClock }, { kind: 'client', label: 'A label', role: 'user' }, by('')),
    fresh: true,
  },
];

/** Subject keys as the vault gives them once it has read them. */
const rememberedKeys = () => {
  const keys = new Map<string, Buffer>();
  return {
    subjectKey: async (subject: string) => {
      const key = keys.get(subject) ?? randomBytes(32);
      keys.set(subject, key);
      return key;
    },
  };
};

const rate = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (CALLERS * COMMANDS * 1_000) / (performance.now() - start);
};

const eachCaller = (work: (caller: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)));

/** Every caller has a subject of its own, new in each round, with one credential. */
const commands = async (log: EventLog, command: Command): Promise<number> => {
  const callers: { subject: string; id: string }[] = [];
  await eachCaller(async () => {
    const subject = randomUUID();
    const { credential } = await issueCredential(
      { log, clock: systemClock },
      { kind: 'client', label: 'First', role: 'user', subject },
      by(subject),
    );
    callers.push({ subject, id: credential.id });
  });
  return rate(() =>
    eachCaller(async (caller) => {
      const { subject = '', id = '' } = callers[caller] ?? {};
      for (let i = 0; i < COMMANDS; i++) await command(log, subject, id);
    }),
  );
};

/** Events of the very form that the command stores, made beforehand, through the port alone. */
const appends = async (store: EventStore, sample: NewStoredEvent, fresh: boolean): Promise<number> => {
  const given = Array.from({ length: CALLERS }, () =>
    Array.from({ length: COMMANDS }, () => ({ ...sample, id: randomUUID(), data: { ...sample.data }, metadata: { ...sample.metadata } })),
  );
  return rate(() =>
    eachCaller(async (caller) => {
      const own = credentialsEventStream(randomUUID());
      let expected: ExpectedRevision = 'no stream';
      for (const event of given[caller] ?? []) {
        if (fresh) await store.append(credentialsEventStream(event.id), 'no stream', [event]);
        else expected = (await store.append(own, expected, [event])).revision;
      }
    }),
  );
};

/** What the command stores, once. */
const sampleOf = async (store: EventStore, log: EventLog, command: Command): Promise<NewStoredEvent> => {
  const subject = randomUUID();
  const { credential } = await issueCredential(
    { log, clock: systemClock },
    { kind: 'client', label: 'First', role: 'user', subject },
    by(subject),
  );
  await command(log, subject, credential.id);
  const [stored] = await store.readAll({ after: null, direction: 'backwards', limit: 1 });
  if (!stored) throw new Error('the command stored nothing');
  const { id, type, data, metadata } = stored;
  return { id, type, data, metadata };
};

/** A one-stream command by 32 callers, a subject each (load, decide, codec, append), against the same appends through the port alone. */
export const command = defineBench({
  name: 'command',
  bar: 0.6,
  run: async (compare) => {
    const directory = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
    const store = await openEmbeddedEventStore({ dataDir: directory, clock: systemClock });
    const log = openEventLog({ store, keys: rememberedKeys(), schemas: EVENT_SCHEMAS, clock: systemClock });
    for (const { label, command, fresh = false } of CASES) {
      const sample = await sampleOf(store, log, command);
      await compare(label, { unit: 'commands/s', ours: () => commands(log, command), baseline: () => appends(store, sample, fresh) });
    }
    await store.close();
    rmSync(directory, { recursive: true });
  },
});
