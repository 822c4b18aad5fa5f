import { readdirSync, readFileSync } from 'node:fs';
import { accessToken, type MeasuredServer } from '../serverProcess.ts';
import type { Clip } from './clips.ts';

const PRE_RECORDED = '668115d123bca7e3509723d4';

/** A measured server, and a caller. */
export interface Rig {
  readonly server: MeasuredServer;
  readonly authorization: string;
}

export const rigOf = async (server: MeasuredServer): Promise<Rig> => ({ server, authorization: `Bearer ${await accessToken(server.url)}` });

export interface Transcript {
  readonly text: string;
  /** Time of the transcriber, including decoding. */
  readonly milliseconds: number;
  /** Such as `faster-whisper 1.2.1`. */
  readonly engine: string;
}

/** The members of a JSON object; empty for any other value. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** The JSON answer of a GET. Throws if it is refused. */
export const get = async ({ server, authorization }: Rig, path: string): Promise<unknown> => {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
};

/** Uploads a recording like a user. Resolves with the id of its stream. */
export const startUpload = async ({ server, authorization }: Rig, body: Blob | Uint8Array<ArrayBuffer>): Promise<string> => {
  const response = await fetch(`${server.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PRE_RECORDED}&persist=true`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body,
  });
  const uploaded = record(await response.json());
  if (!response.ok) throw new Error(`the upload answered ${response.status}: ${String(uploaded.message)}`);
  return String(uploaded.streamId);
};

/** Uploads a recording and waits for its export. */
export const transcribe = async (rig: Rig, clip: Clip): Promise<Transcript> => {
  const id = await startUpload(rig, new Uint8Array(clip.wav));
  let exported: Readonly<Record<string, unknown>> = {};
  for (let state: unknown = 'READY'; state === 'READY'; ) {
    exported = record(await get(rig, `/export-service/api/v1/export/JSON?streams=${id}`));
    state = record(await get(rig, `/stream-service/api/v1/streams/${id}`)).state;
    if (state === 'FAILED') throw new Error(`the stream ${id} failed`);
  }
  const usage = record(await get(rig, `/usage-service/api/v1/usage/streams/${id}`));
  const used = (Array.isArray(usage.processors) ? usage.processors : []).map(record);
  const [metadata] = Object.values(record(exported.metadata)).map(record);
  return {
    text: String(record(exported.transcription).text ?? ''),
    milliseconds: Number(used.find(({ processorId }) => processorId === 'transcriber')?.executionTime ?? used[0]?.executionTime),
    engine: `${String(metadata?.engine ?? 'unknown engine')}, ${String(metadata?.model ?? 'unknown model')}`,
  };
};

const status = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

/** MiB of a kind (a line of /proc/PID/status) for each Python process below the server. Linux only. */
const memoryOfWorkers = (server: MeasuredServer, kind: 'VmHWM' | 'VmRSS'): number[] => {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((pid) => [pid, /^PPid:\s+(\d+)/m.exec(status(pid))?.[1]]));
  const isBelow = (pid: string | undefined): boolean => pid !== undefined && (pid === String(server.pid) || isBelow(parents.get(pid)));
  const workers = processes.filter((pid) => isBelow(parents.get(pid)) && /^Name:\s+python/m.test(status(pid)));
  return workers.map((pid) => Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(status(pid))?.[1] ?? 0) / 1024);
};

/** Largest resident memory, in MiB, of any worker of the server. */
export const workerPeak = (server: MeasuredServer): number => Math.max(0, ...memoryOfWorkers(server, 'VmHWM'));

/** Current resident memory, in MiB, of the server's workers; 0 without a worker. */
export const workerMemory = (server: MeasuredServer): number => memoryOfWorkers(server, 'VmRSS').reduce((sum, one) => sum + one, 0);
