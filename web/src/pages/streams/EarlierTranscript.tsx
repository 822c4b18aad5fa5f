import { useState } from 'preact/hooks';
import type { Stream } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { Empty, Loaded, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { readTranscript, shownUtterances } from '../../results/editing/transcript.ts';
import { Player } from '../../results/Player.tsx';
import { StickyBar } from '../../results/StickyBar.tsx';
import { Transcript } from '../../results/transcript/Transcript.tsx';
import { href } from '../../shell/place.ts';

interface EarlierTranscriptProps {
  readonly stream: Stream;
  readonly attempt: number;
  /** Millisecond of the recording that the page is opened at. */
  readonly openedAt: number | null;
}

/** The transcript of an earlier attempt with its corrections, to read. */
export const EarlierTranscript = ({ stream, attempt, openedAt }: EarlierTranscriptProps) => {
  const { streamId } = stream;
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const found = useResource({
    key: `${streamId} ${attempt}`,
    load: (signal) => readTranscript(streamId, signal, attempt),
  });
  return (
    <>
      <Note>
        Transcript of attempt {attempt} of {stream.attempt}. <a href={href(['streams', streamId])}>Show the newest</a>
      </Note>
      <Loaded resource={found}>
        {(read) =>
          read === null ? (
            <Empty title="This attempt has no transcript." />
          ) : (
            <>
              <StickyBar>
                <Player streamId={streamId} onAudio={setAudio} openedAt={openedAt} />
              </StickyBar>
              <Card title="Transcript">
                <Transcript
                  utterances={shownUtterances(read.transcript)}
                  audio={audio}
                  momentAt={(milliseconds) => href(['streams', streamId], { attempt, t: Math.floor(milliseconds / 1000) })}
                  openedAt={openedAt}
                />
              </Card>
            </>
          )
        }
      </Loaded>
    </>
  );
};
