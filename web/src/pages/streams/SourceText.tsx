import { useState } from 'preact/hooks';
import { ask } from '../../api/request.ts';
import { useResource } from '../../api/useResource.ts';
import { bytes } from '../../parts/format.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { pathOf } from './streams.ts';

// A first look; the whole text is fetched on request.
const FIRST_BYTES = 16_384;

/** The uploaded text of a text stream. */
export const SourceText = ({ streamId }: { readonly streamId: string }) => {
  const [isWhole, setWhole] = useState(false);
  const path = `${pathOf(streamId)}/data-source`;
  const source = useResource({
    key: `${path} ${isWhole}`,
    load: async (signal) => {
      const headers = isWhole ? {} : { Range: `bytes=0-${FIRST_BYTES - 1}` };
      const response = await ask('GET', path, { headers, signal });
      const total = Number(response.headers.get('Content-Range')?.split('/').at(-1) ?? response.headers.get('Content-Length'));
      const read = new Uint8Array(await response.arrayBuffer());
      // A part may end within a character, which `stream` leaves out.
      return { text: new TextDecoder().decode(read, { stream: read.length < total }), isPart: read.length < total, total };
    },
  });
  return (
    <Card title="Text">
      <Loaded resource={source}>
        {({ text, isPart, total }) => (
          <>
            <p class="prose source-text" dir="auto" tabIndex={0}>
              {text}
            </p>
            {isPart && (
              <button type="button" class="button" onClick={() => setWhole(true)}>
                Show all of it ({bytes(total)})
              </button>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
};
