import { useState } from 'preact/hooks';
import { getJson } from '../../api/request.ts';
import { useResource } from '../../api/useResource.ts';
import { Cost } from '../../parts/Cost.tsx';
import { SelectField } from '../../parts/Field.tsx';
import { bytes, count, duration } from '../../parts/format.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';

interface ProcessorUsage {
  readonly processorId: string;
  /** Attempt of the stream; each has a record of its own. */
  readonly attempt: number;
  readonly credits: string;
  readonly executionTime: number | null;
  readonly ingressSize: number | null;
  readonly egressSize: number | null;
  readonly processedAudioLength: number | null;
  readonly processedTokens: number | null;
  readonly finalUsage: boolean;
}

const CURRENCIES = [
  ['', 'Credits'],
  ['USD', 'USD'],
  ['EUR', 'EUR'],
] as const;

/** Usage and cost of the stream. `version` changes when there may be more. */
export const Usage = ({ streamId, version }: { readonly streamId: string; readonly version: string }) => {
  const [currency, setCurrency] = useState('');
  const path = `/usage-service/api/v1/usage/streams/${streamId}`;
  const usage = useResource({
    key: `${path} ${currency} ${version}`,
    load: (signal) => getJson<{ processors: readonly ProcessorUsage[] }>(path, { query: { currency }, signal }),
  });
  return (
    <Card title="Usage">
      <Loaded resource={usage}>
        {({ processors }) => (
          <ul class="usage">
            {processors.map((one) => (
              <li key={`${one.processorId} ${one.attempt}`}>
                <span class="component-name">
                  {one.processorId}
                  {one.attempt > 1 && <span class="quiet"> attempt {one.attempt}</span>}
                </span>
                <span class="usage-credits">
                  <Cost credits={one.credits} currency={currency || null} />
                </span>
                <span class="quiet small usage-what">{quantitiesOf(one)}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <SelectField label="Currency" value={currency} options={CURRENCIES} onChange={setCurrency} />
    </Card>
  );
};

const quantitiesOf = ({
  processedAudioLength,
  processedTokens,
  ingressSize,
  egressSize,
  executionTime,
  finalUsage,
}: ProcessorUsage): string =>
  [
    processedAudioLength !== null && processedAudioLength > 0 && `${duration(processedAudioLength)} of audio`,
    processedTokens !== null && processedTokens > 0 && `${count(processedTokens)} tokens`,
    ingressSize !== null && `${bytes(ingressSize)} in`,
    egressSize !== null && `${bytes(egressSize)} out`,
    executionTime !== null && `ran ${duration(executionTime)}`,
    !finalUsage && 'so far',
  ]
    .filter(Boolean)
    .join(' · ');
