import { hkdfSync } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { v5 as uuidv5 } from 'uuid';
import { type Clock, isoTime } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import { OWN_SCHEMAS } from '../../schema.ts';
import { canonicalJson } from '../canonicalJson.ts';
import { DamagedEventStream, type StoredEvent, type WrittenEvent } from '../eventStore.ts';
import { hashOf } from '../integrity/chainLink.ts';
import type { Keys } from '../keys/openKeys.ts';
import {
  type AppendContext,
  type DomainEvent,
  type EventMetadata,
  type EventSchema,
  type EventSchemas,
  NewerVersion,
  type RecordedEvent,
  type StreamHead,
} from './eventLog.ts';
import { openPersonal, openPersonalAnywhere, type PersonalTree, personalTree, sealPersonal } from './personalMembers.ts';
import { unreadableEvent } from './unreadableEvent.ts';

export interface CodecDeps {
  readonly keys: Pick<Keys, 'subjectKey' | 'eventStreamKey'>;
  readonly schemas: EventSchemas;
  readonly clock: Clock;
}

/** The keys of a page, by the names of `keyName`; `null` once destroyed. */
type PageKeys = ReadonlyMap<string, Buffer | null>;

/** An event type, ready for use. */
interface Form {
  readonly version: number;
  readonly upcast: NonNullable<EventSchema['upcast']>;
  /** Compiled at its first use, so that a start does not pay for types that it does not write. */
  readonly validate: () => ValidateFunction;
  readonly personal: PersonalTree | null;
  readonly ownKey: boolean;
}

/** What decides the key of an event. */
interface Keyed {
  readonly form: Form;
  readonly subject: string;
  readonly eventStream: string;
}

const keyName = ({ form, subject, eventStream }: Keyed): string => (form.ownKey ? `${subject} ${eventStream}` : subject);

/** An append that is ready to be sent, with the state for the next one. */
export interface Encoded {
  readonly stored: WrittenEvent[];
  /** Without the position, which the store assigns. */
  readonly recorded: Omit<RecordedEvent, 'position'>[];
  readonly head: StreamHead;
}

const NO_KEYS: PageKeys = new Map();

const compiled = new WeakMap<EventSchemas, ReadonlyMap<string, Form>>();

/** Cached per schema table, however many logs are opened. */
const formsOf = (schemas: EventSchemas): ReadonlyMap<string, Form> => {
  const known = compiled.get(schemas);
  if (known) return known;
  const ajv = new Ajv2020({ ...OWN_SCHEMAS, strict: true, strictTypes: false, allowUnionTypes: true });
  for (const keyword of ['personal', 'secret']) ajv.addKeyword({ keyword, schemaType: 'boolean' });
  const forms = new Map(Object.entries(schemas).map(([type, schema]) => [type, formOf(ajv, schema)]));
  compiled.set(schemas, forms);
  return forms;
};

const formOf = (ajv: Ajv2020, { version, schema, upcast = {}, ownKey = false }: EventSchema): Form => {
  let validator: ValidateFunction | undefined;
  const validate = (): ValidateFunction => {
    validator ??= ajv.compile(schema);
    return validator;
  };
  return { version, upcast, validate, personal: personalTree(schema), ownKey };
};

const IDEMPOTENCY_NAMESPACE = '5f0d1b9e-8f0a-5c43-9d0b-6c4f6a0e7b12';

/** Between the domain's events and the stored form: schema check, upcasting, personal members, metadata, hash chain. */
export class Codec {
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #keys: CodecDeps['keys'];
  readonly #clock: Clock;
  /** Decrypted data by its stored form, of events that this process appended or decrypted: all followers of the log's end share it. */
  readonly #opened = new WeakMap<JsonObject, JsonObject>();

  constructor({ keys, schemas, clock }: CodecDeps) {
    this.#forms = formsOf(schemas);
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Throws on an unknown type, or on data that fail their schema: a mistake in the program, not of a caller. */
  async encode(eventStream: string, head: StreamHead, events: readonly DomainEvent[], context: AppendContext): Promise<Encoded> {
    const forms = events.map((event) => this.#checked(event));
    const keys = await this.#keysFor(
      forms.filter(({ personal }) => personal).map((form) => ({ form, subject: context.subject, eventStream })),
      true,
    );
    const time = isoTime(this.#clock.now());
    const { causationId: $causationId, correlationId: $correlationId, actor, subject } = context;
    // Metadata in canonical order: members before the hash, the hash, then the rest.
    const by = `{"$causationId":${JSON.stringify($causationId)},"$correlationId":${JSON.stringify($correlationId)},"actor":${JSON.stringify(actor)},`;
    const about = `"subject":${JSON.stringify(subject)},"time":"${time}"}`;
    let { revision, hash } = head;
    const stored: WrittenEvent[] = [];
    const recorded: Omit<RecordedEvent, 'position'>[] = [];
    for (const [i, { type, data: given }] of events.entries()) {
      const form = forms[i];
      if (!form) throw new Error('an event without a form');
      const key = keys.get(keyName({ form, subject, eventStream })) ?? null;
      revision = revision === 'no stream' ? 0n : revision + 1n;
      const id = context.idempotencyKey
        ? uuidv5(`${context.idempotencyKey} ${eventStream} ${i}`, IDEMPOTENCY_NAMESPACE)
        : crypto.randomUUID();
      // The schema check has just proved that these are JSON members.
      const plain = given as JsonObject;
      const data = form.personal ? sealPersonal(form.personal, plain, id, key) : plain;
      const { version: schemaVersion } = form;
      const previousHash = hash;
      const dataText = canonicalJson(data);
      const rest = `"previousHash":${JSON.stringify(previousHash)},"schemaVersion":${schemaVersion},${about}`;
      hash = hashOf({ eventStream, revision, previousHash, id, type, data: dataText, metadata: by + rest });
      const metadata = { $causationId, $correlationId, actor, hash, previousHash, schemaVersion, subject, time };
      stored.push({ id, type, data, metadata, text: { data: dataText, metadata: `${by}"hash":"${hash}",${rest}` } });
      // Personal data of an erased subject are not returned, so that appenders cannot cache them.
      const readable = form.personal && !key ? openPersonal(form.personal, data, id, null) : given;
      if (form.personal && key) this.#opened.set(data, plain);
      recorded.push({ id, eventStream, revision, type, data: readable, metadata });
    }
    return { stored, recorded, head: { revision, hash } };
  }

  /**
   * Decodes a page and reads the keys of its subjects once. Rejects on an event of a newer version, and with `DamagedEventStream` on any other
   * unreadable event.
   */
  async decode(events: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    const keys = await this.#keysOf(events);
    return events.map((event) => {
      try {
        return this.#decode(event, keys);
      } catch (error) {
        throw damageOf(event, error);
      }
    });
  }

  /** Like `decode`, for followers of the whole log: one unreadable event does not block the others. */
  async decodeEach(events: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    const keys = await this.#keysOf(events);
    return events.map((event) => this.#decodeOrNot(event, keys));
  }

  #keysOf(events: readonly StoredEvent[]): Promise<PageKeys> {
    return this.#keysFor(
      events.flatMap((event) => {
        const form = this.#formNeedingKey(event);
        return form ? [{ form, subject: subjectOf(event), eventStream: event.eventStream }] : [];
      }),
      false,
    );
  }

  async #keysFor(wanted: readonly Keyed[], create: boolean): Promise<PageKeys> {
    const distinct = new Map(wanted.map((keyed) => [keyName(keyed), keyed]));
    return new Map(await Promise.all([...distinct].map(async ([name, keyed]) => [name, await this.#key(keyed, create)] as const)));
  }

  async #key({ form, subject, eventStream }: Keyed, create: boolean): Promise<Buffer | null> {
    const key = await this.#keys.subjectKey(subject, { create });
    if (!key || !form.ownKey) return key;
    const own = await this.#keys.eventStreamKey(eventStream, { create });
    return own && Buffer.from(hkdfSync('sha256', key, own, 'event stream', key.length));
  }

  #decodeOrNot(event: StoredEvent, keys: PageKeys): RecordedEvent {
    try {
      return this.#decode(event, keys);
    } catch (error) {
      return unreadableEvent(event, damageOf(event, error));
    }
  }

  /** Like `decodeEach` without its page, for followers of the log's end. Only an event that needs a key takes a promise. */
  decodeOne(event: StoredEvent): RecordedEvent | Promise<RecordedEvent> {
    if (!this.#formNeedingKey(event)) return this.#decodeOrNot(event, NO_KEYS);
    return this.#keysOf([event]).then((keys) => this.#decodeOrNot(event, keys));
  }

  /** The form of an event whose decoding needs a key. */
  #formNeedingKey({ type, metadata }: StoredEvent): Form | undefined {
    const form = this.#forms.get(type);
    return form && (form.personal !== null || metadata.schemaVersion !== form.version) ? form : undefined;
  }

  /** Unknown types are returned as stored. */
  #decode(event: StoredEvent, keys: PageKeys): RecordedEvent {
    const metadata = asMetadata(event);
    const form = this.#forms.get(event.type);
    if (!form) return { ...event, metadata };
    const key = keys.get(keyName({ form, subject: metadata.subject, eventStream: event.eventStream })) ?? null;
    // Without the key, the text must not be readable.
    const opened = key ? this.#opened.get(event.data) : undefined;
    if (opened) return { ...event, data: opened, metadata };
    const data = current(event, form, metadata, key);
    if (key) this.#opened.set(event.data, data);
    return { ...event, data, metadata };
  }

  #checked({ type, data }: DomainEvent): Form {
    const form = this.#forms.get(type);
    if (!form) throw new Error(`no schema for events of the type ${type}`);
    const validate = form.validate();
    if (!validate(data)) {
      const wrong = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
      throw new Error(`${type} fails its schema: ${wrong.join('; ')}`);
    }
    return form;
  }
}

/** Empty if it is not text: then `asMetadata` refuses this event only. */
const subjectOf = ({ metadata }: StoredEvent): string => (typeof metadata.subject === 'string' ? metadata.subject : '');

const damageOf = ({ eventStream }: StoredEvent, error: unknown): unknown =>
  error instanceof Error && !(error instanceof NewerVersion) ? new DamagedEventStream(eventStream, error.message, { cause: error }) : error;

/** Data of the newest version, with readable personal members. */
const current = (event: StoredEvent, form: Form, { schemaVersion }: EventMetadata, key: Buffer | null): JsonObject => {
  const { id, type, data } = event;
  if (schemaVersion === form.version) return form.personal ? openPersonal(form.personal, data, id, key) : data;
  if (schemaVersion > form.version) throw new NewerVersion(`event ${id} (${type}) was written by a newer version of this program`);
  let upcast = openPersonalAnywhere(data, id, key);
  for (let version = schemaVersion; version < form.version; version++) {
    const step = form.upcast[version];
    if (!step) throw new Error(`event ${id} (${type}): nothing upcasts version ${version}`);
    upcast = stepped(step, upcast, `event ${id} (${type})`);
  }
  return upcast;
};

/** A stored event may have any form. If its upcaster fails, it is refused by name, like every other unreadable event. */
const stepped = <Data>(step: (data: Data) => Data, data: Data, event: string): Data => {
  try {
    return step(data);
  } catch (error) {
    throw new Error(`${event} does not have the form of its version`, { cause: error });
  }
};

const asMetadata = ({ id, metadata }: StoredEvent): EventMetadata => {
  const { time, subject, schemaVersion, hash } = metadata;
  if (typeof time !== 'string' || typeof subject !== 'string' || typeof schemaVersion !== 'number' || typeof hash !== 'string') {
    throw new Error(`event ${id} lacks the metadata that every event of this platform has`);
  }
  // The required members have just been checked; the codec wrote the rest.
  return metadata as unknown as EventMetadata;
};
