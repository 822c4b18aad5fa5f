import type { Stream } from '../../domain/stream/streamResource.ts';
import { inMemberOrder } from '../answers/memberOrder.ts';
import { STREAM_SCHEMA } from './streamSchemas.ts';

/** A stream in the order of its schema, whether it comes from memory or from the store. */
export const orderedStream = (stream: Stream): Stream => inMemberOrder(STREAM_SCHEMA, stream);
