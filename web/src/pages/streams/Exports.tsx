import type { Stream } from '../../api/types.ts';
import { Download } from '../../parts/Download.tsx';
import { Card } from '../../parts/Page.tsx';

const FORMATS = [
  ['JSON', 'json'],
  ['TEXT', 'txt'],
  ['SRT', 'srt'],
  ['VTT', 'vtt'],
  ['EVENTS', 'ndjson'],
] as const;

const SOURCE_ENDINGS: Readonly<Record<string, string>> = { bytes: 'bin', string: 'txt' };

/** The results as files, and the upload itself, as long as they are kept. */
export const Exports = ({ stream }: { readonly stream: Stream }) => {
  const { streamId, state, configuration } = stream;
  const isKept = configuration.processors.some(({ egress }) => egress.sink && egress.persist);
  if (state === 'EXPIRED') return null;
  return (
    <Card title="Export">
      {state === 'READY' ? (
        <p class="quiet">Available when the stream has ended.</p>
      ) : (
        <>
          <div class="actions">
            {isKept &&
              FORMATS.map(([format, ending]) => (
                <Download
                  key={format}
                  label={format}
                  path={`/export-service/api/v1/export/${format}`}
                  query={{ streams: streamId }}
                  fileName={`${streamId}.${ending}`}
                  whenEmpty={`No results in the format ${format}`}
                />
              ))}
            <Download
              label="Uploaded bytes"
              path={`/stream-service/api/v1/streams/${streamId}/data-source`}
              fileName={`${streamId}-upload.${SOURCE_ENDINGS[configuration.dataSource.messageSchema] ?? 'bin'}`}
              whenEmpty="There are no bytes"
            />
          </div>
          {!isKept && (
            <p class="hint">This stream was uploaded without “Keep the results”. It has no exports, and its data are deleted soon.</p>
          )}
        </>
      )}
    </Card>
  );
};
