import type { ComponentChildren } from 'preact';
import { getJson } from '../../../api/request.ts';
import type { CredentialResource, PageOf } from '../../../api/types.ts';
import { newId, sendFile } from '../../../api/upload.ts';
import { useAction } from '../../../api/useAction.ts';
import { useResource } from '../../../api/useResource.ts';
import { ErrorNote } from '../../../parts/Notes.tsx';
import { Card } from '../../../parts/Page.tsx';
import sample from '../../../sample/sample-call.mp3';
import { go, href } from '../../../shell/place.ts';
import { isAdmin, session } from '../../../shell/session.ts';
import { CREDENTIALS } from '../../credentials/credentials.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const SAMPLE = { name: 'Sample call', fileName: 'sample-call.mp3', streamConfigurationTemplateId: DIARIZATION_TEMPLATE, persist: true };
const TWO_PEOPLE = { splitStereo: true, summary: true };

interface FirstStepsProps {
  /** Whether the library has a stream. */
  readonly hasStreams: boolean;
}

/** What to do first, until all of it is done. */
export const FirstSteps = ({ hasStreams }: FirstStepsProps) => {
  const steps = useResource({
    key: `first steps ${hasStreams}`,
    load: async (signal) => {
      const [hasKey, endpoints] = await Promise.all([
        hasOwnKey(signal),
        getJson<readonly unknown[]>('/notification-service/api/v1/webhook-endpoints', { signal }),
      ]);
      return { hasKey, hasWebhook: endpoints.length > 0 };
    },
  });
  const isClosed = localStorage.getItem(CLOSED) !== null;
  if (!steps.data || (hasStreams && (isClosed || (steps.data.hasKey !== false && steps.data.hasWebhook)))) return null;
  const { hasKey, hasWebhook } = steps.data;
  return (
    <Card
      title="First steps"
      actions={
        hasStreams && (
          <button
            type="button"
            class="button small-button"
            onClick={() => {
              localStorage.setItem(CLOSED, 'true');
              steps.reload();
            }}
          >
            Hide
          </button>
        )
      }
    >
      <ol class="first-steps">
        <Step isDone={hasStreams}>
          <strong>A first transcript.</strong> <a href={href(['upload'])}>Upload a recording</a>
          {!hasStreams && (
            <>
              {' '}
              or <TrySample />
            </>
          )}
        </Step>
        {hasKey !== null && (
          <Step isDone={hasKey}>
            <strong>An API key for your programs.</strong> <a href={href(['settings'])}>Make one in the settings</a>, then see the{' '}
            <a href="/docs">API documents</a>.
          </Step>
        )}
        <Step isDone={hasWebhook}>
          <strong>A webhook</strong>, so that your programs learn of every change. <a href={href(['webhooks'])}>Add an endpoint</a>
        </Step>
      </ol>
    </Card>
  );
};

/** Whether there is a key besides those of the first start and the one that the caller signed in with. `null` for a caller who may make none. */
const hasOwnKey = async (signal: AbortSignal): Promise<boolean | null> => {
  const caller = session.value?.caller;
  if (!isAdmin.value && !caller?.session) return null;
  const { content } = await getJson<PageOf<CredentialResource>>(CREDENTIALS, { query: { size: MOST_OTHERS + 1 }, signal });
  return content.some(({ id, issuedBy }) => issuedBy !== 'bootstrap' && id !== caller?.credential?.id);
};

/** The client and the key of the first start, and the caller's own. */
const MOST_OTHERS = 3;

const CLOSED = 'tributary.firstSteps.closed';

const Step = ({ isDone, children }: { readonly isDone: boolean; readonly children: ComponentChildren }) => (
  <li class={isDone ? 'done' : ''}>
    {isDone && <span class="visually-hidden">Done: </span>}
    {children}
  </li>
);

/** Uploads a call of two people that comes with the product, and opens its page. */
const TrySample = () => {
  const { busy, error, run } = useAction(async () => {
    const content = await (await fetch(sample)).blob();
    const streamId = newId();
    const query = { ...SAMPLE, id: streamId };
    const signal = new AbortController().signal;
    await sendFile({ content, query, patches: TWO_PEOPLE, webhooks: {}, onProgress: () => {}, signal });
    go(['streams', streamId]);
  });
  return (
    <>
      <button type="button" class="button primary" disabled={busy} onClick={() => void run()}>
        {busy ? 'Uploading the sample…' : 'Try a sample'}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};
