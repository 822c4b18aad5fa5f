import { afterAll } from 'vitest';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { inBrowser } from './inBrowser.ts';
import type { Site } from './site.ts';
import { LIMIT, rerunStories } from './stories/reruns.ts';
import { speechServerStories } from './stories/speechServer.ts';

let speech: StubEngine;
afterAll(() => speech?.close());

const tell = (site: () => Site): void => {
  rerunStories(site, () => speech);
  speechServerStories(site, () => speech);
};

inBrowser('pages with a speech server:', tell, {
  environment: async () => {
    speech = await startStubEngine();
    return { TRANSCRIBER_URL: speech.url, ENGINE_RETRY_S: '15', MAX_CONCURRENT_STREAMS: String(LIMIT) };
  },
});
