import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApi } from '../../src/api.ts';
import { startBackground } from '../../src/background.ts';
import { systemClock } from '../../src/clock.ts';
import { ensureBootstrap } from '../../src/commands/credentials.ts';
import { readConfig } from '../../src/config.ts';
import { MESSAGE_SCHEMAS } from '../../src/domain/stream/messages.ts';
import { DECLARATIONS } from '../../src/domain/templates/declarations.ts';
import { createApp } from '../../src/http/app.ts';
import { serveUpgrades } from '../../src/http/gateway/webSocket/upgrades.ts';
import { listen } from '../../src/http/server/server.ts';
import { silentLogger } from '../../src/logger.ts';
import { openPlatform, type Platform } from '../../src/platform.ts';
import type { Processor, RunContext } from '../../src/processors/processor.ts';
import { openProcessors } from '../../src/processors/registry.ts';
import { allProjections } from '../../src/projections/all.ts';
import { settings } from '../e2e/server.ts';

export interface LiveRig {
  readonly url: string;
  readonly platform: Platform;
  /** Properties of the runs so far. */
  readonly runs: readonly Record<string, unknown>[];
  /** The server's side of every connection so far. */
  readonly connections: readonly Socket[];
  stop(): Promise<void>;
}

const WINDOW_MILLISECONDS = 50;
const LOUD = 500;

/** A whole server in this process whose live engine recognises loud samples as "Word 1.", "Word 2." and so on, each with a partial message before. Its words are as long as `vocabulary` asks for, such as "long 500000". */
export const startLiveRig = async (environment: Readonly<Record<string, string>> = {}): Promise<LiveRig> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-realtime-'));
  const config = readConfig({ ...settings({ DATA_DIR: dataDir }), ...environment });
  const platform = await openPlatform(config, { clock: systemClock, logger: silentLogger });
  const runs: Record<string, unknown>[] = [];
  const opened = openProcessors({ clock: systemClock });
  const live = liveEngine((properties) => runs.push(properties));
  const list = opened.list().map((one) => (one.declaration.id === live.declaration.id ? live : one));
  const processors = { ...opened, get: (id: string) => list.find(({ declaration }) => declaration.id === id), list: () => list };
  const background = await startBackground(platform, processors);
  await background.ready();
  const context = { subject: '', actor: 'test', correlationId: 'test', causationId: 'test' };
  const { bootstrapClientId: clientId, bootstrapClientSecret: clientSecret, bootstrapApiKey: apiKey } = config;
  const keys = { clientId: clientId ?? '', clientSecret: clientSecret ?? '', apiKey: apiKey ?? '' };
  const { position } = await ensureBootstrap({ log: platform.log }, keys, context);
  if (position) await platform.readModels.waitFor(['credentials'], position);
  const api = openApi({
    platform,
    processors,
    publicUrl: () => '',
    ready: async () => ({}),
    queues: () => ({ runs: [], deliveries: { due: 0, scheduled: 0, inFlight: 0 } }),
  });
  const projections = allProjections.map(({ name }) => name);
  const common = { readModels: platform.readModels, projections, clock: systemClock, logger: silentLogger };
  const app = createApp({ ...api, ...common, limits: config });
  const server = await listen(app, { host: '127.0.0.1', port: 0, clock: systemClock, logger: silentLogger, upgrades: () => true });
  serveUpgrades(server.server, [api.gateway, api.realtime]);
  const connections: Socket[] = [];
  server.server.on('connection', (socket: Socket) => connections.push(socket));
  return {
    url: server.url,
    platform,
    runs,
    connections,
    stop: async () => {
      await Promise.all([server, api.gateway, api.realtime].map((one) => one.drain(0)));
      await background.stop();
      await platform.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const liveEngine = (onRun: (properties: Record<string, unknown>) => void): Processor => {
  const declaration = DECLARATIONS.find(({ id }) => id === 'realtime-transcriber');
  if (!declaration) throw new Error('no live transcriber is declared');
  return {
    declaration,
    mode: 'live',
    unavailable: () => null,
    run: async (context) => {
      onRun(context.properties);
      return { processedAudioLength: await hear(context) };
    },
  };
};

/** A sample above the loudest of the tests: the engine fails. */
const BROKEN = 32_000;

const hear = async ({ properties, input, output }: RunContext): Promise<number> => {
  const window = (Number(properties.sampleRate) * WINDOW_MILLISECONDS) / 1_000;
  const silence = Number(properties.utteranceEndSilence);
  let rest = Buffer.alloc(0);
  const more = 'x'.repeat(Number(/^long (\d+)$/.exec(String(properties.vocabulary))?.[1] ?? 0));
  let [at, start, end, words] = [0, -1, 0, 0];
  const say = (frameType: 'partial' | 'final', text: string) =>
    output.message({
      frameType,
      payloadSchema: MESSAGE_SCHEMAS.transcription,
      payload: { transcription: text, words: [], start, end, metadata: {}, channel: null, utterance: frameType === 'final' },
      headers: {},
    });
  for await (const bytes of input.bytes()) {
    rest = Buffer.concat([rest, bytes]);
    for (; rest.length >= window * 2; rest = rest.subarray(window * 2)) {
      const level = Math.abs(rest.readInt16LE(window));
      if (level > BROKEN) throw new Error('the engine broke');
      at += WINDOW_MILLISECONDS;
      if (level > LOUD) {
        if (start < 0) {
          start = at - WINDOW_MILLISECONDS;
          await say('partial', ' Wor');
        }
        end = at;
      } else if (start >= 0 && at - end >= silence) {
        words += 1;
        await say('final', ` Word ${words}.${more}`);
        start = -1;
      }
    }
  }
  return at;
};
