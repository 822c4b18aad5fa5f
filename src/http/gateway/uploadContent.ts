import { DYNAMIC_WEBHOOK_FILTERS } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import * as s from '../../schema.ts';
import type { DocumentedContent } from '../route/route.ts';

/** Allowed content of a multipart upload's configuration part and of a CONFIGURATION message. */
export const CONFIGURATION_MEMBERS = {
  patches: s.described(
    s.map({}),
    'Map from alias or path to value. As in the query, text with a leading `+` adds, `-` removes, and `\\` escapes a leading + or -.',
  ),
  webhook: s.described(s.map(s.list(s.oneOf(...DYNAMIC_WEBHOOK_FILTERS))), 'Map from URL to the event types it receives. At most 3 URLs.'),
};

/** The forms of an upload's body. */
export const UPLOAD_CONTENT: Readonly<Record<string, DocumentedContent>> = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: {
        configuration: s.named('UploadConfiguration', s.partial(CONFIGURATION_MEMBERS)),
        file: s.described(
          s.binary,
          'The bytes: the last part, whatever its name. Text without a filename in a part before it is a parameter like those of the query.',
        ),
      },
      required: ['file'],
    },
    encoding: { configuration: { contentType: 'application/json' }, file: { contentType: 'application/octet-stream' } },
  },
  'application/octet-stream': { schema: s.described(s.binary, 'The bytes. Any other content type but multipart works too.') },
  'text/plain': {
    schema: s.described(s.text, 'The bytes. If the template takes media, one http(s) URL of at most 8 KiB works too.'),
    examples: {
      text: { summary: 'Text, for a template that takes text', value: 'The food was wonderful. The waiter was rude. We will come again.' },
    },
  },
};
