import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A real server for the tests. */
export interface RealEventStoreDb {
  readonly url: string;
  /** Time goes by as it does. */
  pass(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

const IMAGE = 'eventstore/eventstore:23.10.6-bookworm-slim';
const PORT = 2113;

/** The server of `EVENTSTORE_URL`; otherwise a container, if a Docker engine runs; otherwise `null`. */
export const realEventStoreDb = async (): Promise<(() => Promise<RealEventStoreDb>) | null> => {
  const pass = (seconds: number) => setTimeout(seconds * 1000);
  const url = process.env.EVENTSTORE_URL;
  if (url) return async () => ({ url, pass, stop: async () => undefined });
  if (!process.env.DOCKER_HOST && !existsSync('/var/run/docker.sock')) return null;
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const engine = await getContainerRuntimeClient().catch(() => null);
  if (engine === null) return null;
  return async () => {
    const container = await new GenericContainer(IMAGE)
      .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_CLUSTER_SIZE: '1' })
      .withExposedPorts(PORT)
      .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
      .start();
    const address = `${container.getHost()}:${container.getMappedPort(PORT)}`;
    return { url: `esdb://${address}?tls=false`, pass, stop: () => container.stop().then(() => undefined) };
  };
};
