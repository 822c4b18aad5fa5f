import { randomUUID } from 'node:crypto';
import { type NewestTemplate, withNewestDeclarations } from '../../commands/newestDeclarations.ts';
import type { TemplateLibrary } from '../../commands/templateLibrary.ts';
import type { UploadPlan } from '../../commands/upload.ts';
import { withSavedVocabularies } from '../../commands/vocabularies.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { dynamicWebhooks, type RequestedWebhook } from '../../domain/stream/dynamicWebhooks.ts';
import { keepForSeconds } from '../../domain/stream/keepFor.ts';
import { configurationMaxBytes, dataSourceTopic, resolveConfiguration } from '../../domain/stream/resolveConfiguration.ts';
import { newPeriodSeconds, type RetentionLimits } from '../../domain/stream/retention.ts';
import type { DynamicWebhook } from '../../domain/stream/streamConfiguration.ts';
import type { RequestedPatch } from '../../domain/templates/patches.ts';
import { patchedTemplate } from '../../domain/templates/patchTemplate.ts';
import { withRedaction } from '../../domain/templates/redactionStage.ts';
import type { StreamConfigurationTemplate } from '../../domain/templates/template.ts';
import type { Limits } from '../../limits.ts';
import { checkEngines, type ProcessorsById } from '../../processors/availability.ts';
import type { CallerSchemas } from '../../processors/schemas/callerSchemas.ts';
import { checkResponseFormats } from '../../processors/schemas/checkResponseFormats.ts';
import { pooledRandomBytes } from '../../randomPool.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { ConfigurationPart } from './configurationPart.ts';
import { UPLOAD_PARAMETERS, type UploadParameters } from './uploadParameters.ts';

export interface PlannerDeps {
  readonly log: EventLog;
  readonly templates: TemplateLibrary;
  readonly processors: ProcessorsById;
  readonly limits: Limits;
  readonly retention: Pick<RetentionLimits, 'persistent' | 'longest'>;
  readonly schemas: CallerSchemas;
  /** The URL's `href`; `null` if the address guard refuses it. */
  readonly judgeWebhook: (url: string) => Promise<string | null>;
  /** The labels in the spelling that the user first gave them. */
  readonly spellLabels: (subject: string, labels: readonly string[]) => Promise<string[]>;
  /** Names the topics: `persistent://<deployment>/...`. */
  readonly deployment: string;
  readonly replica: string;
}

/** An upload that passed every check that needs no body. */
export interface PreparedUpload extends NewestTemplate {
  readonly owner: string;
  readonly parameters: UploadParameters;
  readonly labels: readonly string[];
  /** As in `StreamCreated`. */
  readonly keepSeconds?: number;
  /** Patched by headers and query. */
  readonly patched: StreamConfigurationTemplate;
  /** The same with the content of saved vocabularies. */
  readonly template: StreamConfigurationTemplate;
  /** Largest patched template. */
  readonly maxBytes: number;
  readonly webhooks: readonly DynamicWebhook[];
}

/** An ephemeral upload to an unchanged template. */
export const unpatched = (templateId: string): UploadParameters => ({
  id: null,
  name: null,
  labels: [],
  fileName: null,
  groupId: null,
  templateId,
  idempotencyKey: null,
  persist: { persist: false, tags: [], match: 'ANY' },
  keepFor: null,
  patches: [],
  webhooks: [],
});

export interface UploadIdentity {
  readonly streamId: string;
  readonly idGenerated: boolean;
  readonly idempotency: UploadPlan['idempotency'];
  /** Topic id of a data source whose bytes already exist. */
  readonly dataSourceId?: string;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `count` random characters a-z and 0-9, for names only, never for secrets. */
const characters = (count: number): string => {
  let drawn = '';
  for (const byte of pooledRandomBytes(count)) drawn += ALPHABET[byte % ALPHABET.length];
  return drawn;
};
const random = { uuid: randomUUID, characters };

const NAMES = Object.keys(UPLOAD_PARAMETERS);

/** A webhook URL whose `&` was not percent-encoded ends there, and its rest reads as patches. */
const cutUrl = (): Problem =>
  new Problem(
    'STREAM_CONFIGURATION_BAD_PATCH',
    'If it belongs to the URL of a webhook, percent-encode that URL: each & of it must be sent as %26.',
  );

const patchedWithHints = (
  template: StreamConfigurationTemplate,
  patches: readonly RequestedPatch[],
  webhooks: readonly RequestedWebhook[],
): StreamConfigurationTemplate => {
  try {
    return patchedTemplate(withRedaction(template, patches), patches, undefined, NAMES);
  } catch (error) {
    const isMisspelt = error instanceof Problem && error.nested.length > 0 && error.internalErrorName === 'STREAM_CONFIGURATION_BAD_PATCH';
    if (!isMisspelt || !webhooks.some(({ url }) => url.includes('?'))) throw error;
    throw new Problem(error.internalErrorName, error.message, { nested: [...error.nested, cutUrl()] });
  }
};

/** Turns an upload request into its plan, for every gateway. */
export class UploadPlanner {
  readonly #deps: PlannerDeps;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
  }

  /**
   * Checks template, patches and webhooks before the body is read. Throws 404 for a template that the caller cannot see, and 400 for invalid input.
   */
  async prepare(parameters: UploadParameters, caller: Caller): Promise<PreparedUpload> {
    const found = await this.#deps.templates.choose(caller.subject, parameters.templateId);
    if (!found) throw notFound('stream configuration template');
    const { template: newest, ...others } = await withNewestDeclarations(this.#deps.log, caller.subject, found.template);
    const patched = patchedWithHints(newest, parameters.patches, parameters.webhooks);
    const template = await withSavedVocabularies(this.#deps.log, caller.subject, patched);
    const maxBytes = configurationMaxBytes(newest, this.#deps.limits);
    const webhooks = await dynamicWebhooks(parameters.webhooks, this.#deps.judgeWebhook);
    await checkResponseFormats(this.#deps.schemas, template, caller.subject);
    const labels = await this.#deps.spellLabels(caller.subject, parameters.labels);
    return { ...this.#keeping(parameters), ...others, owner: caller.subject, parameters, labels, patched, template, maxBytes, webhooks };
  }

  #keeping({ persist, keepFor }: UploadParameters): Pick<PreparedUpload, 'keepSeconds'> {
    const { retention } = this.#deps;
    if (keepFor !== null) return { keepSeconds: keepForSeconds(keepFor, retention) };
    return persist.persist ? { keepSeconds: newPeriodSeconds(retention) } : {};
  }

  /** Adds the configuration part, whose patches come later and take precedence. */
  async configure(prepared: PreparedUpload, { patches, webhooks }: ConfigurationPart): Promise<PreparedUpload> {
    const { owner, parameters } = prepared;
    const patched = patchedWithHints(prepared.patched, patches, []);
    const template = await withSavedVocabularies(this.#deps.log, owner, patched);
    await checkResponseFormats(this.#deps.schemas, template, owner);
    return {
      ...prepared,
      patched,
      template,
      webhooks: await dynamicWebhooks([...parameters.webhooks, ...webhooks], this.#deps.judgeWebhook),
    };
  }

  /** Throws 503 PROCESSOR_FAILED_RESERVATION_ERROR, with the settings to change, if a processor of the chain has no engine for its properties. */
  async checkEngines({ template }: PreparedUpload): Promise<void> {
    await checkEngines(this.#deps.processors, template.processors);
  }

  dataSourceTopic(id: string): string {
    return dataSourceTopic(this.#deps.deployment, id);
  }

  /** The plan for `beginUpload`. Throws HTTP_STREAM_CONFIGURATION_ERROR if the resolved configuration is too large. */
  plan(
    { parameters, labels, keepSeconds, template, maxBytes, modes, webhooks }: PreparedUpload,
    identity: UploadIdentity,
    caller: Caller,
  ): UploadPlan {
    const { streamId, idGenerated, idempotency, dataSourceId } = identity;
    const { processors, deployment, replica } = this.#deps;
    const groupId = parameters.groupId ?? streamId;
    const modeOf = (declarationId: string) => modes.get(declarationId) ?? processors.get(declarationId)?.mode ?? 'batch';
    const { persist } = parameters;
    const topics = { deployment, replica, random, dataSourceId };
    const resolved = resolveConfiguration({ template, maxBytes, streamId, groupId, persist, webhooks, modeOf, ...topics });
    return {
      streamId,
      idGenerated,
      name: parameters.name ?? `Stream ${characters(6)}`,
      labels,
      fileName: parameters.fileName,
      groupId,
      owner: caller.subject,
      templateVersion: template.version,
      persist: persist.persist,
      ...(keepSeconds !== undefined && { keepSeconds }),
      ...resolved,
      webhooks: [...webhooks],
      idempotency,
    };
  }
}
