import { afterAll } from 'vitest';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { inBrowser } from './inBrowser.ts';
import { LIMIT, rerunStories } from './stories/reruns.ts';

let speech: StubEngine;
afterAll(() => speech?.close());

inBrowser('reruns in a browser:', (site) => rerunStories(site, () => speech), {
  environment: async () => {
    speech = await startStubEngine();
    return { TRANSCRIBER_URL: speech.url, ENGINE_RETRY_S: '15', MAX_CONCURRENT_STREAMS: String(LIMIT) };
  },
});
