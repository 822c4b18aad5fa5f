/** Blocks that a test cannot run, by part of their content. Each entry must match a block. */
export const NOT_RUN: readonly { readonly having: RegExp; readonly because: string }[] = [
  {
    having: /npm (run setup|start|test\b)/,
    because: 'installs packages, or serves until it is stopped: .ci/run and test/e2e/start.test.ts do it',
  },
  { having: /--watch/, because: 'runs until it is stopped: test/e2e/transcribe.test.ts watches folders' },
  { having: /^sudo /m, because: 'changes the machine as root' },
  { having: /^docker /m, because: 'needs a Docker engine' },
  { having: /EVENTSTORE_URL=/, because: 'needs an EventStoreDB: test/e2e/moving.test.ts moves a log to the fake of one' },
  { having: /objects confirm/, because: 'needs a bucket: test/e2e/objectStorage.test.ts confirms a restored copy' },
  { having: /models (pull|remove) /, because: 'downloads a model: test/e2e/models.test.ts pulls one from a local server' },
  { having: /^(java|kiota|nswag|oapi-codegen|go run) /m, because: 'needs a generator of clients: test/generated runs those that CI has' },
  { having: /npm run typecheck|npx vitest run/, because: 'checks and tests of the project itself: .ci/run does them' },
];

/** Pages whose blocks another test runs. */
export const RUN_BY: Readonly<Record<string, string>> = {
  'clients/python/README.md': 'test/client/python.test.ts',
  'docs/guides/openai.md': 'test/openai/guide.test.ts',
  'docs/guides/your-own-program.md': 'test/openai/ownProgram.test.ts',
};

/** Commands whose refusal the page shows. */
export const REFUSED: readonly RegExp[] = [/If-Match: "user-1"/, /streams\/\$STREAM_ID\/cancel/];

/** Required output of a block, by part of its commands. */
export const TELLING: readonly { readonly of: string; readonly says: RegExp }[] = [
  { of: 'export/TEXT?streams=$STREAM_ID', says: /test|Ana called|hello/i },
  { of: 'usage/streams/$STREAM_ID?currency=USD', says: /"currency":"USD"/ },
  { of: 'usage/report', says: /"totalMeasurements"/ },
  { of: 'export/TEXT?group=$GROUP_ID', says: /Ana called[\s\S]*Ben answered[\s\S]*"state":"(CREATED|COMPLETED)"/ },
  { of: 'whisper-1', says: /test/i },
  { of: "streamConfigurationTemplateId: 'live'", says: /partial .*\nfinal .*test/i },
  { of: 'session(template="live")', says: /partial .*\nfinal .*test/i },
  { of: 'new tus.Upload', says: /[\da-f-]{36}/ },
  { of: 'tus.uploader', says: /[\da-f-]{36}/ },
  { of: 'egress/live?streams=$ID', says: /"processorId":"llm"/ },
  { of: 'streamConfigurationTemplateId=masked', says: /this is a \*{4}/i },
  { of: 'processorDeclarationId": "\'$REDACT', says: /Write to \[redacted\]\./ },
  { of: 'processor check', says: /All \d+ cases pass/ },
  { of: '$HOOKS/supported-events', says: /"stream.completed"/ },
  { of: 'deliveries?size=5', says: /"state":"(delivered|pending)"/ },
  { of: 'token', says: /"token_type":"Bearer"/ },
  { of: 'credentials/self', says: /"roles?"/ },
  { of: '-X OPTIONS', says: /Allow: GET, HEAD, OPTIONS/i },
  { of: 'X-Correlation-Id: order-17', says: /x-correlation-id: order-17/i },
  { of: 'tributary projections status', says: /streams.*live/ },
  { of: 'tributary audit verify', says: /holds|ok/i },
];
