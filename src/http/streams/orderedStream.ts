import type { Stream } from '../../domain/stream/streamResource.ts';
import { inOrder } from '../answers/inOrder.ts';
import { STREAM_SCHEMA } from './streamSchemas.ts';

/** A stream in the order of its schema, whether it comes from memory or from the store. */
export const orderedStream = (stream: Stream): Stream => inOrder(STREAM_SCHEMA, stream);
