import { useState } from 'preact/hooks';
import type { Template, TemplateProcessor } from '../../api/types.ts';
import { ChainPicture } from '../../parts/ChainPicture.tsx';
import { CopyText } from '../../parts/CopyText.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { JsonText } from '../../parts/JsonText.tsx';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { go, href } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { draftOf, duplicateOf } from './draft.ts';
import { PatchDialog } from './PatchDialog.tsx';
import { ResetButton } from './ResetButton.tsx';
import { TemplateDialog } from './TemplateDialog.tsx';
import { chainOfTemplate, ORIGIN_NAMES, remove, useTemplate } from './templates.ts';
import { Versions } from './Versions.tsx';

/** One template: a picture of its chain, the settings of each processor, and its versions. */
export const TemplatePage = ({ id, query }: { readonly id: string; readonly query: URLSearchParams }) => {
  const asked = query.get('version');
  const newest = useTemplate(id, null);
  const shown = useTemplate(id, asked);
  const reload = () => {
    newest.reload();
    shown.reload();
  };
  return (
    <PageFrame
      title={newest.data?.name ?? 'Template'}
      above={<a href={href(['templates'])}>Templates</a>}
      badge={newest.data && <span class="tag">{ORIGIN_NAMES[newest.data.origin]}</span>}
      lead={newest.data?.description}
      actions={newest.data && <Changes template={newest.data} onChanged={reload} />}
    >
      <Loaded resource={shown}>
        {(template) => (
          <div class="stack">
            {newest.data && template.version !== newest.data.version && (
              <Note tone="warn">
                This is version {template.version}. <a href={href(['templates', id])}>Show the newest, {newest.data.version}</a>
              </Note>
            )}
            {!template.runnable.ok && (
              <Note tone="warn">
                <strong>Cannot run on this server:</strong> {template.runnable.reason}
              </Note>
            )}
            <Card title="Processors" actions={<CopyText text={id} label="template id" />}>
              <ChainPicture nodes={chainOfTemplate(template)} />
            </Card>
            {template.processors.map((processor) => (
              <Processor key={processor.id} processor={processor} />
            ))}
            {newest.data && <Versions template={template} newest={newest.data.version} />}
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
};

const Processor = ({ processor }: { readonly processor: TemplateProcessor }) => {
  const { id, description, processorDeclaration, properties, patchAliases } = processor;
  const aliases = Object.entries(patchAliases);
  return (
    <Card title={id} actions={<span class="quiet">{processorDeclaration.displayName}</span>}>
      {description && <p class="quiet">{description}</p>}
      <details>
        <summary>Properties</summary>
        <JsonText value={properties} label={`Properties of ${id}`} />
      </details>
      {aliases.length > 0 && (
        <details>
          <summary>Aliases</summary>
          <DataTable label={`Aliases of ${id}`} columns={ALIASES} rows={aliases} keyOf={([alias]) => alias} />
        </details>
      )}
    </Card>
  );
};

const ALIASES: readonly Column<readonly [string, string]>[] = [
  { header: 'Alias', cell: ([alias]) => <code>{alias}</code> },
  { header: 'Stands for', cell: ([, path]) => <code>{path}</code> },
];

const Changes = ({ template, onChanged }: { readonly template: Template; readonly onChanged: () => void }) => {
  const [open, setOpen] = useState<'patch' | 'edit' | 'duplicate' | null>(null);
  const isBuiltIn = template.origin === 'built-in';
  const close = () => setOpen(null);
  const saved = () => {
    close();
    announce('Template saved');
    onChanged();
  };
  return (
    <>
      <a class="button" href={href(['upload'], { template: template.id })}>
        Upload with it
      </a>
      <button type="button" class="button" onClick={() => setOpen('duplicate')}>
        Duplicate
      </button>
      {(!isBuiltIn || isAdmin.value) && (
        <button type="button" class="button" onClick={() => setOpen('edit')}>
          {isBuiltIn ? 'Edit for all users' : 'Edit'}
        </button>
      )}
      <button type="button" class="button primary" onClick={() => setOpen('patch')}>
        Change settings
      </button>
      <Removal template={template} onChanged={onChanged} />
      {open === 'patch' && <PatchDialog template={template} onSaved={saved} onClose={close} />}
      {open === 'edit' && (
        <TemplateDialog
          title={isBuiltIn ? `Edit ${template.name} for all users` : `Edit ${template.name}`}
          draft={draftOf(template)}
          scope={isBuiltIn ? 'builtin' : undefined}
          onSaved={saved}
          onClose={close}
        />
      )}
      {open === 'duplicate' && (
        <TemplateDialog
          title={`Duplicate ${template.name}`}
          draft={duplicateOf(template)}
          onSaved={({ id }) => {
            close();
            announce('Template created');
            go(['templates', id]);
          }}
          onClose={close}
        />
      )}
    </>
  );
};

const Removal = ({ template, onChanged }: { readonly template: Template; readonly onChanged: () => void }) => {
  const { id, origin, version } = template;
  if (origin === 'copy') return <ResetButton template={template} to="builtin" onReset={onChanged} />;
  if (origin === 'built-in')
    return version > 1 && isAdmin.value ? <ResetButton template={template} to="shipped" onReset={onChanged} /> : null;
  return (
    <ConfirmButton
      label="Delete"
      danger
      onConfirm={async () => {
        await remove(id);
        announce('Template deleted');
        go(['templates']);
      }}
    >
      This cannot be undone. Streams made from it stay.
    </ConfirmButton>
  );
};
