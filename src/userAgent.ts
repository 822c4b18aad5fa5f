import { VERSION } from './version.ts';

/** `User-Agent` of requests that no server sends, such as the download of a model. */
export const USER_AGENT = `Tributary/${VERSION}`;

interface Reached {
  readonly publicUrl: string | null;
  readonly host: string;
  readonly port: number;
}

/** `User-Agent` of every request of a server. It names the server, so that its receivers know whom to ask. */
export const userAgentOf = ({ publicUrl, host, port }: Reached): string => {
  // The operating system has yet to choose the port.
  if (publicUrl === null && port === 0) return USER_AGENT;
  const reachedAt = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${USER_AGENT} (+${publicUrl ?? `http://${reachedAt}:${port}`})`;
};
