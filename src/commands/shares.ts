import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { conflict } from '../domain/problem.ts';
import * as decide from '../domain/shares/decisions.ts';
import { type SharesEvent, sharesEventStream } from '../domain/shares/events.ts';
import { type Share, type SharesState, sharesDecider } from '../domain/shares/state.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { loadOwnStream, type StreamRequest } from './changeOwnStream.ts';
import { type AppendContext, type CommandDeps, forOwner, handle, load } from './handle.ts';
import { loadStream } from './loadStream.ts';

export interface ShareDeps extends CommandDeps {
  readonly clock: Clock;
}

const TOKEN_BYTES = 32;
const ID_BYTES = 16;
/** The id of the stream, then 256 random bits. */
const TOKEN = /^[\w-]{64}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const newToken = (streamId: string): string =>
  Buffer.concat([Buffer.from(streamId.replaceAll('-', ''), 'hex'), randomBytes(TOKEN_BYTES)]).toString('base64url');

/** The id of the stream in a token; `null` if the text is not a token. */
const streamOf = (token: string): string | null => {
  if (!TOKEN.test(token)) return null;
  const hex = Buffer.from(token, 'base64url').subarray(0, ID_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const loadShares = ({ log }: CommandDeps, streamId: string): Promise<SharesState> => load(log, sharesEventStream(streamId), sharesDecider);

const change = (deps: CommandDeps, streamId: string, decision: (state: SharesState) => readonly SharesEvent[], context: AppendContext) =>
  handle(deps, { eventStream: sharesEventStream(streamId), decider: sharesDecider, decide: decision, context });

/**
 * Makes a link to the caller's stream. The token is nowhere but in the result. Rejects with a `Problem`: 404 for an unknown or another's stream, 409
 * for one whose data are deleted, 400 for a time that has passed, 429 above the limit.
 */
export const shareStream = async (
  deps: ShareDeps,
  { expires, media, ...request }: StreamRequest & { readonly expires: number | null; readonly media: boolean },
  context: AppendContext,
): Promise<{ readonly share: Share; readonly token: string }> => {
  const { stream } = await loadOwnStream(deps.log, request);
  if (stream.state === 'EXPIRED') throw conflict('The data of the stream are deleted, so there is nothing to share.');
  const token = newToken(request.streamId);
  const draft = { id: randomUUID(), tokenHash: hashOf(token), expires, media };
  const decision = (shares: SharesState) => decide.shareStream(shares, draft, deps.clock.now());
  const { state } = await change(deps, request.streamId, decision, forOwner(context, stream.creatorId));
  const share = state.find(({ id }) => id === draft.id);
  if (!share) throw new Error('a share that was just made is missing');
  return { share, token };
};

/** The links to the caller's stream, oldest first. Rejects with 404 for an unknown or another's stream. */
export const listShares = async (deps: CommandDeps, request: StreamRequest): Promise<SharesState> => {
  await loadOwnStream(deps.log, request);
  return loadShares(deps, request.streamId);
};

/** Rejects with 404 for an unknown or another's stream, and for an unknown link. */
export const revokeShare = async (
  deps: CommandDeps,
  { shareId, ...request }: StreamRequest & { readonly shareId: string },
  context: AppendContext,
): Promise<void> => {
  const { stream } = await loadOwnStream(deps.log, request);
  await change(deps, request.streamId, (shares) => decide.revokeShare(shares, shareId), forOwner(context, stream.creatorId));
};

/**
 * The link of a token and its stream; `null` for an unknown, an expired and a revoked link. Read from the log, so a revocation counts at once on every
 * node.
 */
export const openShare = async (
  deps: ShareDeps,
  token: string,
): Promise<{ readonly share: Share; readonly aggregate: StreamAggregate } | null> => {
  const streamId = streamOf(token);
  if (streamId === null) return null;
  const share = decide.openShare(await loadShares(deps, streamId), hashOf(token), deps.clock.now());
  const aggregate = share && (await loadStream(deps.log, streamId));
  return share && aggregate && aggregate.stream.state !== 'EXPIRED' ? { share, aggregate } : null;
};

const MINUTE = 60_000;

/** Counts the loads of shared pages: an event at most once a minute and link. Those of a minute are lost with the process. */
export class ShareViews {
  readonly #deps: ShareDeps;
  /** Loads since the last event, of links that were opened within the last minute. */
  readonly #counting = new Map<string, number>();

  constructor(deps: ShareDeps) {
    this.#deps = deps;
  }

  async count(streamId: string, { id }: Share, context: AppendContext): Promise<void> {
    const before = this.#counting.get(id);
    this.#counting.set(id, before === undefined ? 0 : before + 1);
    try {
      for (let views = before === undefined ? 1 : 0; views > 0; views = this.#taken(id)) {
        await change(this.#deps, streamId, (shares) => decide.countViews(shares, id, views), context);
        await this.#deps.clock.pause(MINUTE);
      }
    } catch (error) {
      this.#counting.delete(id);
      throw error;
    }
  }

  /** The loads since the last event. Without any, the next load has an event of its own. */
  #taken(id: string): number {
    const views = this.#counting.get(id) ?? 0;
    if (views === 0) this.#counting.delete(id);
    else this.#counting.set(id, 0);
    return views;
  }

  /** Views that no event has yet. */
  pending(id: string): number {
    return this.#counting.get(id) ?? 0;
  }
}
