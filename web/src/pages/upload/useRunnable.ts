import { ApiError } from '../../api/errors.ts';
import { patchedTemplate } from '../../api/templates.ts';
import type { Json, Template } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import type { Patches, Refusals } from '../../parts/PatchForm.tsx';
import { patchFields } from '../../parts/patchFields.ts';
import type { Refusal } from '../../parts/SchemaField.tsx';
import { isAdmin } from '../../shell/session.ts';

const TYPING_MILLISECONDS = 300;

// So that a template with thousands of choices does not ask thousands of times.
const MOST_ASKED = 60;

/** Why a template cannot run, for its reader: the commands of a built-in one are for administrators. */
export const whyNot = ({ origin, runnable }: Template): string | null =>
  isAdmin.value || origin !== 'built-in' ? runnable.reason : 'The administrator of this server can add it.';

/** The settings that this server cannot run, with the reason, by the key of their field: switches that are off, choices and examples. */
export const useRefusals = (template: Template | undefined): Refusals | undefined =>
  useResource({
    key: template?.id ?? '',
    load: async (signal): Promise<Refusals> => {
      const refusals = new Map<string, Refusal[]>();
      if (!template?.runnable.ok) return refusals;
      const asked = settingsOf(template).slice(0, MOST_ASKED);
      const reasons = await Promise.all(asked.map(({ key, value }) => reasonFor(template, key, value, signal)));
      for (const [n, { key, value }] of asked.entries()) {
        const reason = reasons[n] ?? null;
        if (reason !== null) refusals.set(key, [...(refusals.get(key) ?? []), { value, reason }]);
      }
      return refusals;
    },
  }).data;

/** `null` if it can run. A value that the template does not take is refused when it is sent. */
const reasonFor = async (template: Template, key: string, value: Json, signal: AbortSignal): Promise<string | null> => {
  try {
    return (await patchedTemplate(template.id, { [key]: value }, signal)).runnable.reason;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
};

/** The template as an upload with these settings would use it, with `runnable` for it; `null` without settings. Refused settings are an error. */
export const usePatched = (template: Template | undefined, patches: Patches): Resource<Template | null> =>
  useResource({
    key: JSON.stringify([template?.id, patches]),
    load: async (signal): Promise<Template | null> => {
      if (!template?.runnable.ok || Object.keys(patches).length === 0) return null;
      await pause(TYPING_MILLISECONDS, signal);
      return patchedTemplate(template.id, patches, signal);
    },
  });

interface Setting {
  readonly key: string;
  readonly value: Json;
}

/** Switches first: each decides on more than one choice does. */
const settingsOf = (template: Template): readonly Setting[] => {
  const choices = patchFields(template).map(({ key, value, schema }) => ({
    ...{ key, value: value ?? schema.default, isSwitch: schema.type === 'boolean' },
    others: schema.type === 'boolean' ? [true] : (schema.enum ?? schema.examples ?? []),
  }));
  const switchesFirst = [...choices.filter(({ isSwitch }) => isSwitch), ...choices.filter(({ isSwitch }) => !isSwitch)];
  return switchesFirst.flatMap(({ key, value, others }) =>
    others.filter((other) => other !== value).map((other): Setting => ({ key, value: other })),
  );
};

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
