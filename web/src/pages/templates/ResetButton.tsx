import type { Template } from '../../api/types.ts';
import { ConfirmButton } from '../../parts/Dialog.tsx';
import { Differences } from '../../parts/Differences.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { changesBetween, type Layer, remove, useLayer } from './templates.ts';

interface ResetButtonProps {
  readonly template: Template;
  /** `builtin`: the caller's copy goes. `shipped`: the built-in template gets its shipped content back, for all users. */
  readonly to: Layer;
  readonly onReset: () => void;
}

/** Undoes the changes of a built-in template, after showing them. */
export const ResetButton = ({ template, to, onReset }: ResetButtonProps) => {
  const isOwn = to === 'builtin';
  return (
    <ConfirmButton
      label={isOwn ? 'Reset to built-in' : 'Reset for all users'}
      danger
      wide
      onConfirm={async () => {
        await remove(template.id, isOwn ? undefined : 'builtin');
        announce('Template reset');
        onReset();
      }}
    >
      <p>
        {isOwn
          ? 'Deletes your copy. Your uploads use the built-in template again.'
          : 'Restores the content that Tributary ships, as the next version, for all users.'}{' '}
        Existing streams do not change.
      </p>
      <h3>What the reset changes</h3>
      <Target template={template} to={to} />
    </ConfirmButton>
  );
};

const Target = ({ template, to }: Pick<ResetButtonProps, 'template' | 'to'>) => (
  <Loaded resource={useLayer(template.id, to)}>
    {(target) => <Differences changes={changesBetween({ ...template, origin: target.origin }, target)} />}
  </Loaded>
);
