import { readFileSync } from 'node:fs';
import { guardedAgent, wayOut } from './addressGuard/agent.ts';
import { AddressRefused } from './addressGuard/connect.ts';
import { hrefJudge } from './addressGuard/url.ts';
import type { Clock } from './clock.ts';
import { AuditTrail } from './commands/auditTrail.ts';
import { type CredentialUses, openCredentialUses } from './commands/credentialUses.ts';
import type { PersonalPlace } from './commands/eraseSubject.ts';
import { type Expiries, openExpiries } from './commands/openStreams/expiries.ts';
import { LoneRunning } from './commands/openStreams/loneRunning.ts';
import { OPEN_STREAMS, type RunningStreams } from './commands/openStreams/openStreams.ts';
import { SharedRunning } from './commands/openStreams/sharedRunning.ts';
import { takeOverOpenStreams } from './commands/openStreams/takeOver.ts';
import { openResumableUploads, type ResumableUploads } from './commands/resumableUploads.ts';
import type { Config } from './config.ts';
import { eraseExcerpts } from './delivery/send/excerpts.ts';
import { eraseFormerExcerpts } from './delivery/send/formerExcerpts.ts';
import { sign } from './delivery/send/signature.ts';
import { EVENT_SCHEMAS } from './domain/eventSchemas.ts';
import { parsePriceList, SHIPPED_PRICE_LIST } from './domain/usage/priceList.ts';
import type { PriceList } from './domain/usage/pricing.ts';
import type { Limits } from './limits.ts';
import type { Logger } from './logger.ts';
import { type DeclaredProcessor, openDeclaredProcessor } from './processors/declared/declaredProcessor.ts';
import { Admission } from './processors/runner/admission.ts';
import { CallerSchemas } from './processors/schemas/callerSchemas.ts';
import { projectionsWith } from './projections/all.ts';
import { openProjectionEngine, type ProjectionEngine } from './projections/engine/projectionEngine.ts';
import { KeptBytes } from './projections/keptBytes.ts';
import { openReadModels } from './projections/openReadModels.ts';
import type { ReadModels } from './projections/readModels.ts';
import { usersProjection } from './projections/users.ts';
import { openReadResults } from './results/readResults.ts';
import { BadSetting, inSetting } from './setting.ts';
import { ClosingOrder } from './stores/closingOrder.ts';
import { openClusterStores } from './stores/clusterStores.ts';
import { openEmbeddedStores } from './stores/embeddedStores.ts';
import { StoreUnavailable } from './stores/eventStore.ts';
import { Damage } from './stores/integrity/damage.ts';
import { prepareSealing, sealFault } from './stores/integrity/sealEvidence.ts';
import { type Keys, openKeys } from './stores/keys/openKeys.ts';
import { type LiveReaders, openLiveReaders } from './stores/leases/liveReaders.ts';
import { type AppendListener, announcedLog } from './stores/log/announcedLog.ts';
import type { EventLog } from './stores/log/eventLog.ts';
import { countedLog, LogUsage } from './stores/log/logUsage.ts';
import { openEventLog } from './stores/log/openEventLog.ts';
import { usesObjectStorage } from './stores/s3/usesObjectStorage.ts';
import type { Stores } from './stores/stores.ts';
import { retrying } from './supervision/retrying.ts';
import { measuredLog } from './telemetry/measuredLog.ts';
import { Metrics } from './telemetry/metrics.ts';
import { tracedLog } from './telemetry/traced.ts';
import { noTracing, type Tracing } from './tracing.ts';
import { userAgentOf } from './userAgent.ts';

/** Everything on top of the stores that does nothing by itself, for the server and the command line. */
export interface Platform extends Omit<Stores, 'masterKey'> {
  readonly config: Config;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: EventLog;
  /** Called for each append of this process. */
  readonly appendListeners: Set<AppendListener>;
  /** Damaged event streams found so far. */
  readonly damage: Damage;
  /** Bytes of users' commands in the log today. */
  readonly logUsage: LogUsage;
  readonly keys: Keys;
  readonly engine: ProjectionEngine;
  readonly readModels: ReadModels;
  readonly keptBytes: KeptBytes;
  readonly runningStreams: RunningStreams;
  readonly resumableUploads: ResumableUploads;
  readonly credentialUses: CredentialUses;
  readonly expiries: Expiries;
  readonly liveReaders: LiveReaders;
  readonly priceList: PriceList;
  readonly trail: AuditTrail;
  /** Caches that must forget an erased person. */
  readonly personalPlaces: readonly PersonalPlace[];
  /** Ids of the people who work with the library of a subject. */
  linkedPeople(subject: string): Promise<readonly string[]>;
  /** Compiles and applies callers' JSON Schemas. */
  readonly schemas: CallerSchemas;
  /** Runs users' own processors. */
  readonly declared: DeclaredProcessor;
  /** Turns of the runs of processors on this node. */
  readonly admission: Admission;
  /** Closes the stores and releases the data directory. Stop everything that uses them first. */
  close(): Promise<void>;
}

export interface PlatformDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Serve read models of an older version until the new ones are built. */
  readonly serveStale?: boolean;
  /** Default: nothing is recorded. */
  readonly tracing?: Tracing;
}

/**
 * Opens the stores in the settings: EventStoreDB and MongoDB, or those in the data directory. Waits for a server that is away. Rejects with a
 * sentence if the data directory is in use or newer than this program.
 */
export const openStores = async (config: Config, deps: PlatformDeps): Promise<Stores> => {
  const { eventstoreUrl, mongodbUrl } = config;
  const stores = await (eventstoreUrl === null || mongodbUrl === null
    ? openEmbeddedStores({ ...config, ...deps })
    : openClusterStores({ ...config, ...deps, eventstoreUrl, mongodbUrl }));
  try {
    return await withObjectStorage(stores, config, deps);
  } catch (error) {
    await stores.close();
    throw error;
  }
};

const withObjectStorage = async (stores: Stores, { topicsUrl }: Config, deps: PlatformDeps): Promise<Stores> => {
  if (topicsUrl === null) {
    if (await usesObjectStorage(stores.vault)) throw new BadSetting('TOPICS_URL', 'the topics of these stores lie in a bucket. Name it');
    return stores;
  }
  const { BucketRefused, inObjectStorage } = await import('./stores/s3/objectStorage.ts');
  return inObjectStorage(stores, topicsUrl, deps).catch((error: unknown) => {
    throw error instanceof BucketRefused ? new BadSetting('TOPICS_URL', error.message) : error;
  });
};

/** Users' declarations are as hostile as webhook URLs: the same guard checks every connection. */
const declaredProcessor = ({
  config,
  limits,
  clock,
  log,
  keys,
  schemas,
}: Pick<Platform, 'config' | 'limits' | 'clock' | 'log' | 'keys' | 'schemas'>): DeclaredProcessor => {
  const guard = wayOut(config.webhookAllowCidrs, config.webhookProxyUrl);
  const isRefused = (error: unknown) => error instanceof AddressRefused;
  return openDeclaredProcessor({
    clock,
    userAgent: userAgentOf(config),
    limits,
    log,
    keys,
    schemas,
    agent: (options) => guardedAgent(guard, options),
    judge: hrefJudge(guard),
    isRefused,
    sign,
  });
};

/** The platform on the stores in the settings: see `openStores`. Also waits for a server that goes away later. */
export const openPlatform = async (config: Config, deps: PlatformDeps): Promise<Platform> => {
  const open = async (): Promise<Platform> => openPlatformOn(await openStores(config, deps), config, deps);
  const retryIf = (error: unknown): boolean => config.eventstoreUrl !== null && error instanceof StoreUnavailable;
  const onFailure = (error: unknown) => deps.logger.warn({ error: String(error) }, 'store unavailable during the start; retrying');
  return retrying(open, { clock: deps.clock, retryIf, onFailure });
};

/** The platform on open stores, which it closes. Several may use the same ones, as nodes do. */
const openPlatformOn = async (
  stores: Stores,
  config: Config,
  { clock, logger, tracing = noTracing, serveStale = false }: PlatformDeps,
): Promise<Platform> => {
  const { masterKey, ...opened } = stores;
  const { store, documents, leases, nodes, vault, topics, disk, exclusive } = opened;
  const closing = new ClosingOrder();
  closing.add(() => stores.close());
  try {
    const priceList = readPriceList(config);
    const keys = await openKeys({ vault, masterKey, clock, shared: !exclusive });
    if (keys.upgrading) logger.warn({}, 'upgrading the vault of an earlier version; that version cannot read it afterwards');
    await prepareSealing({ store, keys });
    const fault = await sealFault({ store, keys });
    for (const warning of await store.rightsWarnings()) logger.warn({}, warning);
    if (fault !== null) logger.error({ reason: fault }, 'the event log is not vouched for; run tributary audit verify');
    const limits: Limits = config;
    const schemas = new CallerSchemas({ clock, limits });
    closing.add(() => schemas.close());
    const metrics = new Metrics();
    const damage = new Damage(logger);
    const bareLog = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock, damage });
    const logUsage = new LogUsage(config.logBytesPerUserDay, clock);
    const appendListeners = new Set<AppendListener>();
    const counted = countedLog(bareLog, logUsage);
    const announced = announcedLog(counted, appendListeners);
    const log = tracedLog(measuredLog(announced, metrics, clock), tracing);
    const engine = await openProjectionEngine({
      log,
      documents,
      leases,
      clock,
      logger,
      projections: projectionsWith(openReadResults({ log, topics, logger })),
      serveStale,
    });
    const readModels = openReadModels({ log, documents, engine });
    const keptLimit = config.keptBytesPerUser ?? Math.floor((disk.room()?.total ?? 0) / 4);
    const declared = declaredProcessor({ config, limits, clock, log, keys, schemas });
    closing.add(async () => declared.close());
    await documents.ensureCollection(OPEN_STREAMS);
    await takeOverOpenStreams(documents, clock);
    const running = { documents, clock, limit: config.maxConcurrentStreams, totalLimit: config.maxRunningStreams };
    const runningStreams = exclusive ? new LoneRunning(running) : new SharedRunning({ ...running, node: () => nodes.own() });
    const expireMilliseconds = config.tusExpireS * 1_000;
    const resumableUploads = await openResumableUploads({ log, documents, topics, runningStreams, clock, expireMilliseconds });
    const credentialUses = await openCredentialUses({ documents, clock, logger });
    const expiries = openExpiries(documents);
    const liveReaders = await openLiveReaders({ documents, clock });
    return {
      ...opened,
      config,
      limits,
      clock,
      logger,
      metrics,
      tracing,
      log,
      appendListeners,
      damage,
      logUsage,
      keys,
      engine,
      readModels,
      keptBytes: new KeptBytes({ readModels, clock, limit: keptLimit, unfinished: (subject) => resumableUploads.bytesOf(subject) }),
      runningStreams,
      resumableUploads,
      credentialUses,
      expiries,
      liveReaders,
      priceList,
      schemas,
      declared,
      admission: new Admission(config.processorConcurrency, config.liveEngines),
      trail: new AuditTrail(log),
      personalPlaces: [
        credentialUses.personal,
        resumableUploads.personal,
        { count: async () => 0, erased: (subject) => eraseExcerpts({ topics, clock }, subject) },
        { count: async () => 0, erased: (subject) => eraseFormerExcerpts(documents, topics, subject) },
        { count: async () => 0, erased: async () => topics.purge() },
        { count: (subject) => engine.countPersonal(subject), erased: (_, position) => engine.erased(position) },
      ],
      linkedPeople: (subject) => linkedPeople({ log, readModels }, subject),
      close: () => closing.run(),
    };
  } catch (error) {
    await closing.run();
    throw error;
  }
};

const linkedPeople = async ({ log, readModels }: Pick<Platform, 'log' | 'readModels'>, subject: string): Promise<readonly string[]> => {
  const head = await log.head();
  if (head !== null) await readModels.waitFor([usersProjection.name], head);
  return (await readModels.get(usersProjection, subject))?.linkedBy ?? [];
};

const readPriceList = ({ priceListFile }: Config): PriceList => {
  if (priceListFile === null) return SHIPPED_PRICE_LIST;
  return inSetting('PRICE_LIST_FILE', () => parsePriceList(readFileSync(priceListFile, 'utf8')));
};
