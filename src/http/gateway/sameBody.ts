import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { conflict, type Problem } from '../../domain/problem.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { pump } from '../../stores/pump.ts';
import type { ConfigurationPart } from './configurationPart.ts';
import type { UploadIdentity } from './planner.ts';
import { inAnyOrder } from './uploadParameters.ts';

/** The content of an upload's body other than its bytes. */
export type Said = { readonly link: string } | { readonly configuration: ConfigurationPart } | null;

/** Hex SHA-256 of it. A configuration without content is the same as none. */
export const hashOfSaid = (said: Said): string => {
  const link = said && 'link' in said ? said.link : null;
  const { patches, webhooks } = said && 'configuration' in said ? said.configuration : { patches: [], webhooks: [] };
  return createHash('sha256')
    .update(JSON.stringify([link, ...inAnyOrder(patches, webhooks)]))
    .digest('hex');
};

/** The identity of an upload under a key, with the content of its body, so that a repeated one can be compared. */
export const withBody = (identity: UploadIdentity, said: Said): UploadIdentity => ({
  ...identity,
  idempotency: identity.idempotency && { ...identity.idempotency, body: hashOfSaid(said) },
});

/** The body of a repeated upload. */
export interface RepeatedBody {
  readonly source: Readable;
  readonly head: Uint8Array;
  /** `null` if unknown. */
  readonly announcedBytes: number | null;
  readonly said: Said;
}

/** Bytes that are read of a body that differs: a client that is still sending would not see the answer. */
const READ_ON_BYTES = 67_108_864;

export const otherBody = (): Problem => conflict('This Idempotency-Key was used with another body. Use a new key.');

/** Whether the body of a stream's upload is known. Not for streams of earlier versions, and for those whose upload was canceled. */
export const isComparable = ({ idempotency, upload }: StreamAggregate): boolean =>
  idempotency?.body !== undefined && upload.sha256 !== null;

/** Reads the body, and throws 409 if it is not that of the earlier upload with this key. */
export const checkSameBody = async ({ idempotency, upload }: StreamAggregate, body: RepeatedBody, signal: AbortSignal): Promise<void> => {
  const saysSame = idempotency?.body === hashOfSaid(body.said);
  // The bytes of a link are not in the body.
  if (saysSame && body.said && 'link' in body.said) return;
  const bytes = upload.bytes ?? 0;
  const differs = !saysSame || (body.announcedBytes !== null && body.announcedBytes !== bytes);
  const hash = createHash('sha256');
  await pump(body.source, {
    head: body.head,
    limitBytes: differs ? READ_ON_BYTES : bytes + READ_ON_BYTES,
    tooLarge: otherBody,
    signal,
    open: async () => {},
    write: async (frame) => {
      for (const piece of frame) hash.update(piece);
    },
  });
  if (differs || hash.digest('hex') !== upload.sha256) throw otherBody();
};
