import { randomUUID } from 'node:crypto';
import { type NewestTemplate, withNewestDeclarations } from '../../commands/newestDeclarations.ts';
import type { UploadPlan } from '../../commands/upload.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { dynamicWebhooks } from '../../domain/stream/dynamicWebhooks.ts';
import { configurationMaxBytes, dataSourceTopic, resolveConfiguration } from '../../domain/stream/resolveConfiguration.ts';
import type { DynamicWebhook } from '../../domain/stream/streamConfiguration.ts';
import { patchedTemplate } from '../../domain/templates/patchTemplate.ts';
import type { StreamConfigurationTemplate } from '../../domain/templates/template.ts';
import type { Limits } from '../../limits.ts';
import { checkEngines, type ProcessorsById } from '../../processors/availability.ts';
import type { CallerSchemas } from '../../processors/schemas/callerSchemas.ts';
import { checkResponseFormats } from '../../processors/schemas/checkResponseFormats.ts';
import { pooledRandomBytes } from '../../randomPool.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { TemplateLibrary } from '../templates/templateLibrary.ts';
import type { ConfigurationPart } from './configurationPart.ts';
import type { UploadParameters } from './uploadParameters.ts';

export interface PlannerDeps {
  readonly log: EventLog;
  readonly templates: TemplateLibrary;
  readonly processors: ProcessorsById;
  readonly limits: Limits;
  readonly schemas: CallerSchemas;
  /** The URL's `href`; `null` if the address guard refuses it. */
  readonly judgeWebhook: (url: string) => Promise<string | null>;
  /** Names the topics: `persistent://<deployment>/...`. */
  readonly deployment: string;
  readonly replica: string;
}

/** An upload that passed every check that needs no body. */
export interface PreparedUpload extends NewestTemplate {
  readonly owner: string;
  readonly parameters: UploadParameters;
  /** Patched by headers and query. */
  readonly template: StreamConfigurationTemplate;
  /** Largest patched template. */
  readonly maxBytes: number;
  readonly webhooks: readonly DynamicWebhook[];
}

/** An ephemeral upload to an unchanged template. */
export const unpatched = (templateId: string): UploadParameters => ({
  id: null,
  name: null,
  fileName: null,
  groupId: null,
  templateId,
  idempotencyKey: null,
  persist: { persist: false, tags: [], match: 'ANY' },
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
    const found = await this.#deps.templates.find(caller.subject, parameters.templateId);
    if (!found) throw notFound('stream configuration template');
    const { template: newest, ...others } = await withNewestDeclarations(this.#deps.log, caller.subject, found.template);
    const template = patchedTemplate(newest, parameters.patches);
    const maxBytes = configurationMaxBytes(newest, this.#deps.limits);
    const webhooks = await dynamicWebhooks(parameters.webhooks, this.#deps.judgeWebhook);
    await checkResponseFormats(this.#deps.schemas, template, caller.subject);
    return { ...others, owner: caller.subject, parameters, template, maxBytes, webhooks };
  }

  /** Adds the configuration part, whose patches come later and take precedence. */
  async configure(prepared: PreparedUpload, { patches, webhooks }: ConfigurationPart): Promise<PreparedUpload> {
    const { owner, parameters, template: before } = prepared;
    const template = patchedTemplate(before, patches);
    await checkResponseFormats(this.#deps.schemas, template, owner);
    return { ...prepared, template, webhooks: await dynamicWebhooks([...parameters.webhooks, ...webhooks], this.#deps.judgeWebhook) };
  }

  /** Throws 503 PROCESSOR_FAILED_RESERVATION_ERROR, with the settings to change, if a processor of the chain has no engine for its properties. */
  async checkEngines({ template }: PreparedUpload): Promise<void> {
    await checkEngines(this.#deps.processors, template.processors);
  }

  dataSourceTopic(id: string): string {
    return dataSourceTopic(this.#deps.deployment, id);
  }

  /** The plan for `beginUpload`. Throws HTTP_STREAM_CONFIGURATION_ERROR if the resolved configuration is too large. */
  plan({ parameters, template, maxBytes, modes, webhooks }: PreparedUpload, identity: UploadIdentity, caller: Caller): UploadPlan {
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
      fileName: parameters.fileName,
      groupId,
      owner: caller.subject,
      templateVersion: template.version,
      persist: persist.persist,
      ...resolved,
      webhooks: [...webhooks],
      idempotency,
    };
  }
}
