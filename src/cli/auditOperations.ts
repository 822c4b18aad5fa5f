import { randomUUID } from 'node:crypto';
import { type EventQuery, readEvents } from '../audit/eventReading.ts';
import { difference } from '../audit/eventStreamState.ts';
import { momentOf } from '../audit/pointInTime.ts';
import { soundStatesAt } from '../audit/soundStates.ts';
import { eraseSubject } from '../commands/eraseSubject.ts';
import { timeOf } from '../domain/parseTime.ts';
import { notFound } from '../domain/problem.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Platform } from '../platform.ts';
import type { Position } from '../stores/eventStore.ts';
import { findExpectedSeal, readExpectedSeal } from '../stores/integrity/expectedSeal.ts';
import type { Verdict } from '../stores/integrity/verification.ts';
import { exportSeals, verifyEventStream, verifyStore } from '../stores/integrity/verifyStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { shareOf } from '../stores/log/logShare.ts';
import type { Say } from './controlSocket.ts';
import { type Operation, optionalText, textOf } from './operation.ts';
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
    run: async ({ log }, input) => {
      const query: EventQuery = { where: { id: textOf(input, 'id') }, order: 'desc', after: null, limit: 1, form: 'readable' };
      for await (const [event] of readEvents(log, query, await log.head())) if (event) return JSON.parse(JSON.stringify(event));
      throw notFound('event');
    },
  },
  'audit state': {
    run: async (platform, input) => {
      const eventStream = textOf(input, 'eventStream');
      const [asOf, compareWith] = [optionalText(input, 'asOf'), optionalText(input, 'compareWith')];
      const moments = [momentOf(asOf, '--as-of'), ...(compareWith === undefined ? [] : [momentOf(compareWith, '--compare-with')])];
      const [found, other] = await soundStatesAt(platform, eventStream, moments);
      if (!found || other === null) throw notFound('event stream at that point');
      const shown = { eventStream, revision: String(found.revision), asOf: asOf ?? null, state: found.state };
      return JSON.parse(JSON.stringify(other ? { ...shown, difference: difference(found.state, other.state) } : shown));
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

const FILTERS = ['eventStream', 'category', 'subject', 'correlationId'] as const;

const exists = async (log: EventLog, eventStream: string): Promise<boolean> => (await log.readStream(eventStream, { limit: 1 })).length > 0;

const queryOf = (input: JsonObject): EventQuery => {
  const given = FILTERS.flatMap((name) => {
    const value = optionalText(input, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const [from, to, type] = [optionalText(input, 'from'), optionalText(input, 'to'), optionalText(input, 'type')];
  return {
    where: {
      ...Object.fromEntries(given),
      ...(type !== undefined && { types: [type] }),
      ...(from !== undefined && { from: timeOf(from, '--from') }),
      ...(to !== undefined && { to: timeOf(to, '--to') }),
    },
    order: input.order === 'asc' ? 'asc' : 'desc',
    // The store checks the position: only the store knows its format.
    after: (optionalText(input, 'after') ?? null) as Position | null,
    limit: typeof input.size === 'number' ? input.size : null,
    form: input.form === 'stored' ? 'stored' : 'readable',
  };
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

export const shownVerdict = ({ firstBroken, notes, ...verdict }: Verdict): JsonObject => ({
  ...verdict,
  notes: [...notes],
  firstBroken: firstBroken && { ...firstBroken, revision: String(firstBroken.revision) },
});
