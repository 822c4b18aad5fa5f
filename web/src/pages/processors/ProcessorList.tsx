import { useState } from 'preact/hooks';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { go, href } from '../../shell/place.ts';
import { DeclareDialog } from './DeclareDialog.tsx';
import { ORIGIN_NAMES, type Processor, payloadName, useProcessors } from './processors.ts';
import { SecretDialog } from './SecretDialog.tsx';

/** The processors that templates can use: the caller's own, shared ones and built-in ones. */
export const ProcessorList = () => {
  const processors = useProcessors();
  const [isDeclaring, setDeclaring] = useState(false);
  const [declared, setDeclared] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  return (
    <PageFrame
      title="Processors"
      lead="The stages that a template can have. A processor of your own is a small web server."
      actions={
        <button type="button" class="button primary" onClick={() => setDeclaring(true)}>
          Declare a processor
        </button>
      }
    >
      <div class="card flush">
        <Loaded resource={processors}>
          {(all) => (
            <>
              {!all.some(({ origin }) => origin === 'own') && (
                <Note>
                  <p>
                    You have not declared a processor yet. <code>npx tributary processor init --lang python my-processor</code> writes one
                    that works.
                  </p>
                </Note>
              )}
              <DataTable label="Processors" columns={COLUMNS} rows={all} keyOf={({ id }) => id} />
            </>
          )}
        </Loaded>
      </div>
      {isDeclaring && (
        <DeclareDialog
          onSaved={({ id }, secret) => {
            setDeclaring(false);
            processors.reload();
            if (secret !== null) setDeclared({ id, secret });
          }}
          onClose={() => setDeclaring(false)}
        />
      )}
      {declared && <SecretDialog secret={declared.secret} previousUntil={null} onClose={() => go(['processors', declared.id])} />}
    </PageFrame>
  );
};

const COLUMNS: readonly Column<Processor>[] = [
  { header: 'Name', cell: ({ id, displayName }) => <a href={href(['processors', id])}>{displayName}</a> },
  { header: 'Origin', cell: ({ origin }) => <span class="tag">{ORIGIN_NAMES[origin]}</span> },
  {
    header: 'Input',
    cell: ({ inputSchema, inputSchemas }) =>
      inputSchema === undefined ? inputSchemas.map(payloadName).join(', ') : payloadName(inputSchema),
  },
  { header: 'Output', cell: ({ outputSchema }) => payloadName(outputSchema) },
  { header: 'Version', numeric: true, cell: ({ version }) => version ?? 1 },
  {
    header: 'Id',
    wide: true,
    cell: ({ id, origin }) => <CopyText text={id} label="processor id" shown={origin === 'built-in' ? id : shortId(id)} />,
  },
];
