import { EVENT_TABLES } from '../../domain/eventSchemas.ts';
import * as s from '../../schema.ts';
import { defineRoute, type Route } from '../route/route.ts';

const SCHEMA = s.list(
  s.named(
    'EventKind',
    s.resource({
      category: s.described(s.text, 'The part of an event stream’s name before the first `-`.'),
      types: s.described(s.list(s.text), 'Event types of these event streams.'),
    }),
  ),
);

/** What an auditor can filter the log by. */
export const eventTypesRoute = (shared: Pick<Route, 'tag' | 'access' | 'reads'>, path: string): Route =>
  defineRoute({
    ...shared,
    operationId: 'findEventTypes',
    method: 'GET',
    path,
    summary: 'Lists the categories of event streams with their event types.',
    description: 'For the filters `category` and `type` of the events. Reads nothing of the log, so it is not recorded.',
    responses: { 200: { description: 'Every category that this version writes.', schema: SCHEMA } },
    handle: async () => ({
      status: 200,
      body: Object.entries(EVENT_TABLES).map(([category, table]) => ({ category, types: Object.keys(table) })),
    }),
  });
