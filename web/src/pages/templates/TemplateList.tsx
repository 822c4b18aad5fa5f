import { useState } from 'preact/hooks';
import { useTemplates } from '../../api/templates.ts';
import type { Template } from '../../api/types.ts';
import { CopyText, shortId } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { go, href } from '../../shell/place.ts';
import { EXAMPLE } from './draft.ts';
import { TemplateDialog } from './TemplateDialog.tsx';
import { ORIGIN_NAMES } from './templates.ts';

/** Built-in templates, the caller's own, and the caller's copies of built-in ones. */
export const TemplateList = () => {
  const [isCreating, setCreating] = useState(false);
  return (
    <PageFrame
      title="Templates"
      lead="What can be done with an upload: chains of processors with their settings."
      actions={
        <button type="button" class="button primary" onClick={() => setCreating(true)}>
          New template
        </button>
      }
    >
      <div class="card flush">
        <Loaded resource={useTemplates()}>
          {(templates) => <DataTable label="Templates" columns={COLUMNS} rows={templates} keyOf={({ id }) => id} />}
        </Loaded>
      </div>
      {isCreating && (
        <TemplateDialog
          title="New template"
          draft={EXAMPLE}
          onSaved={({ id }) => go(['templates', id])}
          onClose={() => setCreating(false)}
        />
      )}
    </PageFrame>
  );
};

const RunsHere = ({ runnable: { ok, reason } }: Pick<Template, 'runnable'>) =>
  ok ? (
    <>Yes</>
  ) : (
    <>
      <span class="badge bad">No</span>
      <span class="cell-note quiet small">{reason}</span>
    </>
  );

const COLUMNS: readonly Column<Template>[] = [
  { header: 'Name', cell: ({ id, name }) => <a href={href(['templates', id])}>{name}</a> },
  { header: 'Processors', cell: ({ processors }) => <span class="quiet">{processors.map(({ id }) => id).join(' → ')}</span> },
  { header: 'Runs here', cell: ({ runnable }) => <RunsHere runnable={runnable} /> },
  { header: 'Origin', cell: ({ origin }) => <span class="tag">{ORIGIN_NAMES[origin]}</span> },
  { header: 'Takes', wide: true, cell: ({ dataSourceSchema }) => dataSourceSchema },
  { header: 'Version', wide: true, numeric: true, cell: ({ version }) => version },
  { header: 'Id', wide: true, cell: ({ id }) => <CopyText text={id} label="template id" shown={shortId(id)} /> },
];
