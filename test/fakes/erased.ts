import { EVENT_SCHEMAS } from '../../src/domain/eventSchemas.ts';
import type { DomainEvent } from '../../src/stores/log/eventLog.ts';
import { personalTree, sealPersonal } from '../../src/stores/log/personalMembers.ts';

/** The personal members of an event type; `null` without any. */
export const personalOf = (type: string) => personalTree(EVENT_SCHEMAS[type]?.schema ?? {});

/** The event as the log returns it once its owner has been erased. */
export const erased = <Event extends DomainEvent>(event: Event): Event => {
  const personal = personalOf(event.type);
  return personal ? { ...event, data: sealPersonal(personal, JSON.parse(JSON.stringify(event.data)), event.type, null) } : event;
};
