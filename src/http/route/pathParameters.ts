import type { Json, JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';
import type { Components } from './components.ts';
import { EXPORT_FORMATS } from './fileTypes.ts';

export interface PathParameter {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: Json;
}

/** The stream in the document's examples: the example of an upload creates it. */
export const EXAMPLE_STREAM = '0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0';
const EXAMPLE_ENDPOINT = 'd1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60';

/** Meanings of path parameters, unless their route defines them. */
const PARAMETERS: Readonly<Record<string, PathParameter>> = {
  streamId: { description: 'The stream.', schema: s.uuid, example: EXAMPLE_STREAM },
  uploadId: { description: 'The upload: the last part of its `Location`.', schema: s.uuid, example: EXAMPLE_STREAM },
  groupId: {
    description: "Id of the group. A stream uploaded without a group has a group with the stream's id.",
    schema: s.uuid,
    example: EXAMPLE_STREAM,
  },
  id: { description: 'The webhook endpoint.', schema: s.uuid, example: EXAMPLE_ENDPOINT },
  enabled: { description: 'Whether the endpoint receives events.', schema: s.flag, example: true },
  deliveryId: { description: 'The delivery.', schema: s.uuid, example: 'b0a3c1de-94f4-5a57-8c1b-0d2f6a1e7c35' },
  streamConfigurationTemplateId: { description: 'The template.', schema: s.text, example: '7472696275746172790a7478' },
  credentialId: { description: 'The credential.', schema: s.uuid, example: 'c8f6a9e2-3d41-4e77-b5a0-9e2d7c4f1b08' },
  realm: { description: 'The realm of this deployment.', schema: s.text, example: 'tributary' },
  format: {
    description: 'Format of the results.',
    schema: { title: 'ExportFormat', type: 'string', enum: EXPORT_FORMATS },
    example: 'JSON',
  },
  sessionId: { description: 'The session.', schema: s.uuid, example: 'a4e6c2b8-5d1f-4c3a-9b7e-6f8d0a2c4e16' },
  userId: { description: 'The person.', schema: s.uuid, example: '8d0c2b6e-4a5f-5e1d-9c3b-7f6a8e2d1c40' },
  eventId: { description: 'The event.', schema: s.uuid, example: 'e2a4c6d8-1b3f-4a5c-9d7e-8f6a4c2b0e19' },
  subject: {
    description: "Subject of the person's credentials.",
    schema: s.uuid,
    example: '3c9d2e7f-8a1b-4c6d-b5e4-f2a1908d7c6b',
  },
};

/** A path parameter in the document. `own`: the definition of its route. */
export const pathParameter = (name: string, own: PathParameter | undefined, components: Components): object => {
  const { schema, ...shown } = own ?? PARAMETERS[name] ?? { schema: s.text };
  return { name, in: 'path', required: true, ...shown, schema: components.reference(schema) };
};
