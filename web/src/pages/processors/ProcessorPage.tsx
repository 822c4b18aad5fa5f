import { useState } from 'preact/hooks';
import { CopyText } from '../../parts/CopyText.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { SelectField } from '../../parts/Field.tsx';
import { bytes, count, duration } from '../../parts/format.ts';
import { JsonText } from '../../parts/JsonText.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { go, href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { DeclareDialog } from './DeclareDialog.tsx';
import { ORIGIN_NAMES, type Processor, payloadName, remove, rotate, useProcessor } from './processors.ts';
import { SecretDialog } from './SecretDialog.tsx';
import { TestCard } from './TestCard.tsx';

/** One processor: its input and output, and for its owner its versions, its secret and a test. */
export const ProcessorPage = ({ id, query }: { readonly id: string; readonly query: URLSearchParams }) => {
  const newest = useProcessor(id, null);
  const shown = useProcessor(id, query.get('version'));
  const { data } = newest;
  const mayChange = data !== undefined && (data.origin === 'own' || (data.origin === 'shared' && isAdmin.value));
  const reload = () => {
    newest.reload();
    shown.reload();
  };
  return (
    <PageFrame
      title={data?.displayName ?? 'Processor'}
      above={<a href={href(['processors'])}>Processors</a>}
      badge={data && <span class="tag">{ORIGIN_NAMES[data.origin]}</span>}
      lead={data?.description}
      actions={data && mayChange && <Changes processor={data} onChanged={reload} />}
    >
      <Loaded resource={shown}>
        {(processor) => (
          <div class="stack">
            {data?.version !== undefined && processor.version !== data.version && (
              <Note tone="warn">
                This is version {processor.version}. <a href={href(['processors', id])}>Show the newest, {data.version}</a>
              </Note>
            )}
            <Declaration processor={processor} newest={data?.version ?? 1} />
            {mayChange && data && <TestCard key={data.version} processor={data} />}
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
};

const Declaration = ({ processor, newest }: { readonly processor: Processor; readonly newest: number }) => {
  const { id, url, mode, version, inputSchema, inputSchemas, outputSchema, limits, propertiesJsonSchema } = processor;
  const numbers = Array.from({ length: newest }, (_, n) => String(newest - n));
  return (
    <Card title="Declaration" actions={<CopyText text={id} label="processor id" />}>
      <dl class="facts">
        {url && (
          <>
            <dt>URL</dt>
            <dd>
              <code>{url}</code>
            </dd>
          </>
        )}
        {mode && (
          <>
            <dt>Runs</dt>
            <dd>{mode === 'live' ? 'While its input grows' : 'When its input is complete'}</dd>
          </>
        )}
        <dt>Input</dt>
        <dd>{inputSchema === undefined ? inputSchemas.map(payloadName).join(', ') : payloadName(inputSchema)}</dd>
        <dt>Output</dt>
        <dd>{payloadName(outputSchema)}</dd>
        {limits && (
          <>
            <dt>Limits</dt>
            <dd>
              {count(limits.attempts)} tries of {duration(limits.timeoutMs)}, output up to {bytes(limits.maxOutputBytes)},{' '}
              {count(limits.concurrency)} runs at once
            </dd>
          </>
        )}
      </dl>
      {[
        ['Properties', propertiesJsonSchema],
        ['Input schema', inputSchema],
        ['Output schema', outputSchema],
        ['Default properties', processor.defaultProperties],
        ['Aliases', processor.patchAliases],
        ['Price', processor.price],
      ].map(([title, value]) =>
        typeof value === 'object' && value !== null ? <Json key={String(title)} title={String(title)} value={value} /> : null,
      )}
      {newest > 1 && (
        <SelectField
          label="Version"
          value={String(version)}
          options={numbers.map((number) => [number, `Version ${number}`] as const)}
          onChange={(chosen) => refine({ version: chosen === String(newest) ? null : chosen })}
        />
      )}
    </Card>
  );
};

const Json = ({ title, value }: { readonly title: string; readonly value: object }) =>
  Object.keys(value).length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      <JsonText value={JSON.parse(JSON.stringify(value))} label={title} />
    </details>
  );

const Changes = ({ processor, onChanged }: { readonly processor: Processor; readonly onChanged: () => void }) => {
  const [isEditing, setEditing] = useState(false);
  const [rotated, setRotated] = useState<{ readonly secret: string; readonly previousValidUntil: string } | null>(null);
  return (
    <>
      <button type="button" class="button" onClick={() => setEditing(true)}>
        New version
      </button>
      <ConfirmButton label="Rotate secret" onConfirm={async () => setRotated(await rotate(processor.id))}>
        Requests are signed with the new and the previous secret for 24 hours, so that you can change your processor without a gap.
      </ConfirmButton>
      <ConfirmButton
        label="Delete"
        danger
        onConfirm={async () => {
          await remove(processor.id);
          announce('Processor deleted');
          go(['processors']);
        }}
      >
        Templates that use it stay readable, but uploads with them are refused. Streams that have started with it still end. This cannot be
        undone.
      </ConfirmButton>
      {isEditing && (
        <DeclareDialog
          processor={processor}
          onSaved={({ version }) => {
            setEditing(false);
            announce(`Saved as version ${version}`);
            onChanged();
          }}
          onClose={() => setEditing(false)}
        />
      )}
      {rotated && <SecretDialog secret={rotated.secret} previousUntil={rotated.previousValidUntil} onClose={() => setRotated(null)} />}
    </>
  );
};
