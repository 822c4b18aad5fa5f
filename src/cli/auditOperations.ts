import { randomUUID } from 'node:crypto';
import { type EventParameters, type EventQuery, eventQuery, readEvent, readEvents } from '../audit/eventReading.ts';
import { momentOf } from '../audit/pointInTime.ts';
import { shownVerdict } from '../audit/shownVerdict.ts';
import { shownStateAt } from '../audit/soundStates.ts';
import { eraseSubject } from '../commands/eraseSubject.ts';
import { notFound } from '../domain/problem.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Platform } from '../platform.ts';
import type { Position } from '../stores/eventStore.ts';
import { findExpectedSeal, readExpectedSeal } from '../stores/integrity/expectedSeal.ts';
import { exportSeals, verifyEventStream, verifyStore } from '../stores/integrity/verifyStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { shareOf } from '../stores/log/logShare.ts';
import type { Say } from './controlSocket.ts';
import { asJson, type Operation, optionalText, textOf } from './operation.ts';
import { Progress } from './progress.ts';

/** Reads by the command line are not recorded, since they need access to the files anyway. Erasures are, under this name. */
const OPERATOR = 'operator';

/** `tributary audit ...`: the audit service without HTTP. */
export const AUDIT_OPERATIONS = {
  'audit events': {
    run: async ({ log }, input, say) => {
      const head = await log.head();
      let shown = 0;
      for await (const page of readEvents(log, queryOf(input), head)) {
        shown += page.length;
        await say.output(page.map((event) => `${JSON.stringify(event)}\n`).join(''));
      }
      const eventStream = optionalText(input, 'eventStream');
      if (shown === 0 && eventStream !== undefined && !(await exists(log, eventStream))) throw notFound(`event stream ${eventStream}`);
      return null;
    },
  },
  'audit event': {
    run: async ({ log }, input) => asJson(await readEvent(log, textOf(input, 'id'), await log.head())),
  },
  'audit state': {
    run: async (platform, input) => {
      const eventStream = textOf(input, 'eventStream');
      const [asOf, compareWith] = [optionalText(input, 'asOf'), optionalText(input, 'compareWith')];
      const moments = [momentOf(asOf, '--as-of'), ...(compareWith === undefined ? [] : [momentOf(compareWith, '--compare-with')])];
      return asJson(await shownStateAt(platform, eventStream, moments, asOf));
    },
  },
  'audit verify': { run: (platform, input, say) => verify(platform, input, say) },
  'audit seals': {
    run: async (platform, _, say) => {
      for await (const line of exportSeals(platform)) await say.output(`${JSON.stringify(line)}\n`);
      return null;
    },
  },
  'audit erase': {
    readsModels: true,
    run: async (platform, input) => {
      const correlationId = randomUUID();
      const context = { subject: OPERATOR, actor: 'command line', correlationId, causationId: correlationId };
      return { ...(await eraseSubject(platform, textOf(input, 'subject'), context)) };
    },
  },
} satisfies Record<string, Operation>;

const exists = async (log: EventLog, eventStream: string): Promise<boolean> => (await log.readStream(eventStream, { limit: 1 })).length > 0;

const queryOf = (input: JsonObject): EventQuery => {
  const text = (name: string) => optionalText(input, name);
  const parameters: EventParameters = {
    eventStream: text('eventStream'),
    category: text('category'),
    type: text('type'),
    subject: text('subject'),
    correlationId: text('correlationId'),
    from: text('from'),
    to: text('to'),
    after: text('after'),
    order: input.order === 'asc' ? 'asc' : 'desc',
    form: input.form === 'stored' ? 'stored' : 'readable',
  };
  return eventQuery(parameters, typeof input.size === 'number' ? input.size : null, '--');
};

const verify = async (platform: Platform, input: JsonObject, say: Say): Promise<Json> => {
  const [eventStream, expected] = [optionalText(input, 'eventStream'), optionalText(input, 'expected')];
  if (eventStream !== undefined) {
    const verdict = await verifyEventStream(platform, eventStream);
    if (!verdict) throw notFound('event stream');
    return shownVerdict(verdict);
  }
  const head = await platform.log.head();
  const progress = new Progress(platform.clock, say);
  const onProgress = (checked: number, position: Position | null) => progress.tell(checked, shareOf(null, position, head) ?? 1);
  const verdict = await verifyStore(platform, onProgress);
  const missing = expected === undefined ? null : await findExpectedSeal(platform.store, readExpectedSeal(expected));
  if (verdict.ok && missing) return shownVerdict({ ...verdict, ok: false, firstBroken: missing });
  progress.end(verdict.checked, verdict.ok ? 1 : null);
  return shownVerdict(verdict);
};
