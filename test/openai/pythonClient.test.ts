import { describe, expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, startServer } from '../e2e/server.ts';
import { startStubEngine } from '../fakes/engineServer.ts';
import { pythonOfTests, run } from '../python/venv.ts';
import { startLiveRig } from './liveRig.ts';
import { HEARD, wav } from './speechStub.ts';

const SCRIPT = 'test/openai/official_client.py';
const python = pythonOfTests();

describe.skipIf(python === null)('the openai client of PyPI', () => {
  test('transcribes, streams, gets refusals and lists models, with matching types', { timeout: 120_000 }, async () => {
    const engine = await startStubEngine();
    onTestFinished(() => engine.close());
    engine.always(({ fields }) => {
      if (fields.language === 'de') return 'hang';
      return fields.language === 'es' ? { status: 400, body: { error: { message: 'not audio' } } } : { body: HEARD };
    });
    const server = await startServer({
      environment: { TRANSCRIBER_URL: engine.url, OPENAI_MAX_WAIT_MS: '8000', PROCESSOR_CONCURRENCY: '4' },
    });
    const env = { TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY, WAV: wav().toString('base64') };
    const { code, output } = await run(python ?? '', [SCRIPT, 'Transcriptions', 'Refusals', 'Models'], { env });
    expect(code, output).toBe(0);
  });

  test('holds a realtime session', { timeout: 60_000 }, async () => {
    const rig = await startLiveRig();
    onTestFinished(() => rig.stop());
    const env = { TRIBUTARY_URL: rig.url, API_KEY: ADMIN_KEY };
    const { code, output } = await run(python ?? '', [SCRIPT, 'Realtime'], { env });
    expect(code, output).toBe(0);
  });
});
