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
  readonly keys: Pick<Keys, 'subjectKey'>;
  readonly schemas: EventSchemas;
  readonly clock: Clock;
  /** Default: random UUIDs. */
  readonly newId?: () => string;
}

/** The key of each subject in a page; `null` once erased. */
type SubjectKeys = ReadonlyMap<string, Buffer | null>;

/** An event type, ready for use. */
interface Form {
  readonly version: number;
  readonly upcast: NonNullable<EventSchema['upcast']>;
  /** Compiled at its first use, so that a start does not pay for types that it does not write. */
  readonly validate: () => ValidateFunction;
  readonly personal: PersonalTree | null;
}

/** An append that is ready to be sent, with the state for the next one. */
export interface Encoded {
  readonly stored: WrittenEvent[];
  /** Without the position, which the store assigns. */
  readonly recorded: Omit<RecordedEvent, 'position'>[];
  readonly head: StreamHead;
}

const NO_KEYS: SubjectKeys = new Map();

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

const formOf = (ajv: Ajv2020, { version, schema, upcast = {} }: EventSchema): Form => {
  let validator: ValidateFunction | undefined;
  const validate = (): ValidateFunction => {
    validator ??= ajv.compile(schema);
    return validator;
  };
  return { version, upcast, validate, personal: personalTree(schema) };
};

const IDEMPOTENCY_NAMESPACE = '5f0d1b9e-8f0a-5c43-9d0b-6c4f6a0e7b12';

/** Between the domain's events and the stored form: schema check, upcasting, personal members, metadata, hash chain. */
export class Codec {
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #keys: CodecDeps['keys'];
  readonly #clock: Clock;
  readonly #newId: () => string;
  /** Decrypted data by its stored form, of events that this process appended or decrypted: all followers of the log's end share it. */
  readonly #opened = new WeakMap<JsonObject, JsonObject>();

  constructor({ keys, schemas, clock, newId = () => crypto.randomUUID() }: CodecDeps) {
    this.#forms = formsOf(schemas);
    this.#keys = keys;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** Throws on an unknown type, or on data that fail their schema: a mistake in the program, not of a caller. */
  async encode(eventStream: string, head: StreamHead, events: readonly DomainEvent[], context: AppendContext): Promise<Encoded> {
    const forms = events.map((event) => this.#checked(event));
    const key = forms.some(({ personal }) => personal) ? await this.#keys.subjectKey(context.subject, { create: true }) : null;
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
      revision = revision === 'no stream' ? 0n : revision + 1n;
      const id = context.idempotencyKey ? uuidv5(`${context.idempotencyKey} ${eventStream} ${i}`, IDEMPOTENCY_NAMESPACE) : this.#newId();
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

  async #keysOf(events: readonly StoredEvent[]): Promise<SubjectKeys> {
    const keys = new Map<string, Buffer | null>();
    for (const event of events) if (this.#needsKey(event)) keys.set(subjectOf(event), null);
    await Promise.all([...keys.keys()].map(async (subject) => keys.set(subject, await this.#keys.subjectKey(subject, { create: false }))));
    return keys;
  }

  #decodeOrNot(event: StoredEvent, keys: SubjectKeys): RecordedEvent {
    try {
      return this.#decode(event, keys);
    } catch (error) {
      return unreadableEvent(event, damageOf(event, error));
    }
  }

  /** Like `decodeEach` without its page, for followers of the log's end. Only an event that needs a key takes a promise. */
  decodeOne(event: StoredEvent): RecordedEvent | Promise<RecordedEvent> {
    if (!this.#needsKey(event)) return this.#decodeOrNot(event, NO_KEYS);
    return this.#keysOf([event]).then((keys) => this.#decodeOrNot(event, keys));
  }

  /** Whether the key of the event's subject is needed to decode it. */
  #needsKey({ type, metadata }: StoredEvent): boolean {
    const form = this.#forms.get(type);
    return form !== undefined && (form.personal !== null || metadata.schemaVersion !== form.version);
  }

  /** Unknown types are returned as stored. */
  #decode(event: StoredEvent, keys: SubjectKeys): RecordedEvent {
    const metadata = asMetadata(event);
    const form = this.#forms.get(event.type);
    if (!form) return { ...event, metadata };
    const key = keys.get(metadata.subject);
    // Without the key, the text must not be readable.
    const opened = key ? this.#opened.get(event.data) : undefined;
    if (opened) return { ...event, data: opened, metadata };
    const data = current(event, form, metadata, keys);
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
const current = (event: StoredEvent, form: Form, { schemaVersion, subject }: EventMetadata, keys: SubjectKeys): JsonObject => {
  const { id, type, data } = event;
  if (schemaVersion === form.version) return form.personal ? openPersonal(form.personal, data, id, keys.get(subject) ?? null) : data;
  if (schemaVersion > form.version) throw new NewerVersion(`event ${id} (${type}) was written by a newer version of this program`);
  let upcast = openPersonalAnywhere(data, id, keys.get(subject) ?? null);
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
