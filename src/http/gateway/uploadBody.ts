import type { IncomingMessage } from 'node:http';
import type { Limits } from '../../limits.ts';
import { tooLarge, unsupportedType } from '../errors/errors.ts';

type MultipartLimits = Pick<Limits, 'multipartFieldsMaxBytes' | 'configurationPartMaxBytes'>;

// Most bytes of boundaries and part headers in a multipart body.
const MULTIPART_FRAME_BYTES = 262_144;

export type BodyKind = 'raw' | 'multipart';

/** Throws 415 for a multipart body of another kind than form-data. */
export const bodyKind = ({ headers }: IncomingMessage): BodyKind => {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!type.startsWith('multipart/')) return 'raw';
  if (type !== 'multipart/form-data') throw unsupportedType('bytes or multipart/form-data');
  return 'multipart';
};

/** `null` for a body of unknown length. */
export const announcedBytes = ({ headers }: IncomingMessage): number | null =>
  headers['content-length'] === undefined ? null : Number(headers['content-length']);

/** 413 for an announced length, before anything is read. */
export const checkAnnouncedLength = (
  incoming: IncomingMessage,
  kind: BodyKind,
  { maxBytes, limits }: { readonly maxBytes: number; readonly limits: MultipartLimits },
): void => {
  const besides = limits.configurationPartMaxBytes + limits.multipartFieldsMaxBytes + MULTIPART_FRAME_BYTES;
  const allowed = kind === 'raw' ? maxBytes : maxBytes + besides;
  if ((announcedBytes(incoming) ?? 0) > allowed) throw tooLarge(maxBytes);
};
