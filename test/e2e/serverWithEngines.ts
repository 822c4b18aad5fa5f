import { afterAll, beforeAll } from 'vitest';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { type RunningServer, startServer } from './server.ts';

export interface ServerWithEngines {
  /** Stands in for a speech server. */
  readonly speech: StubEngine;
  /** Stands in for a language model with the name `small`. */
  readonly chat: StubEngine;
  readonly server: RunningServer;
}

/** One server for all tests of a file, with stub engines. Call it outside of tests, and use its parts in them. `environment`: further settings. */
export const serverWithEngines = (environment: Readonly<Record<string, string>> = {}): ServerWithEngines => {
  let started: ServerWithEngines | undefined;
  beforeAll(async () => {
    const [speech, chat] = await Promise.all([startStubEngine(), startStubEngine()]);
    const engines = { TRANSCRIBER_URL: speech.url, LLM_URL: `${chat.url}/v1`, LLM_MODEL: 'small' };
    started = { speech, chat, server: await startServer({ environment: { ...engines, ...environment } }) };
  });
  afterAll(async () => {
    await started?.server.kill();
    await Promise.all([started?.speech.close(), started?.chat.close()]);
  });
  const part = <Name extends keyof ServerWithEngines>(name: Name): ServerWithEngines[Name] =>
    new Proxy<ServerWithEngines[Name]>(Object.create(null), {
      get: (_, member) => {
        if (!started) throw new Error(`the ${name} starts before the first test`);
        return Reflect.get(started[name], member);
      },
    });
  return { speech: part('speech'), chat: part('chat'), server: part('server') };
};
