import { patchedTemplate } from '../../api/templates.ts';
import type { Template } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import type { Patches, Refusals } from '../../parts/PatchForm.tsx';
import { patchGroups } from '../../parts/patchFields.ts';

const TYPING_MILLISECONDS = 300;

/** Why this server cannot run the template with its switches, by the key of each switch that is off. */
export const useRefusals = (template: Template | undefined): Refusals | undefined =>
  useResource({
    key: template?.id ?? '',
    load: async (signal): Promise<Refusals> => {
      if (!template?.runnable.ok) return new Map();
      const asked = await Promise.all(
        switchesOf(template).map(
          async (key) => [key, (await patchedTemplate(template.id, { [key]: true }, signal)).runnable.reason] as const,
        ),
      );
      return new Map(asked.flatMap(([key, reason]) => (reason === null ? [] : [[key, reason] as const])));
    },
  }).data;

/** Why this server cannot run the template with these settings; `null` if it can, or before it is known. */
export const useRefusal = (template: Template | undefined, patches: Patches): string | null => {
  const { data } = useResource({
    key: JSON.stringify([template?.id, patches]),
    load: async (signal) => {
      if (!template?.runnable.ok || Object.keys(patches).length === 0) return null;
      await pause(TYPING_MILLISECONDS, signal);
      return (await patchedTemplate(template.id, patches, signal)).runnable.reason;
    },
  });
  return data ?? null;
};

const switchesOf = (template: Template): readonly string[] =>
  template.processors
    .flatMap((processor) => patchGroups(template, processor))
    .flatMap(({ lead }) => (lead && lead.schema.type === 'boolean' && lead.value !== true ? [lead.key] : []));

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
