import type { Caller } from '../../domain/credentials/caller.ts';
import { CREDENTIAL_KINDS } from '../../domain/credentials/events.ts';
import { type CredentialDocument, credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { PageRequest } from '../answers/page.ts';

type Where = NonNullable<FindOptions['where']>;

const NEWEST_FIRST = [{ member: 'createdTimestamp', direction: 'desc' }] as const;
/** Newest credentials and sessions of a subject by which it may have issued others. */
const MOST_ACTORS = 1_000;

/**
 * A page of the caller's credentials, newest first: those of the caller's subject, and those that the caller issued for anyone. Revoked ones are
 * left out. Stores cannot filter by one member or another, so both lists are read up to the end of the page.
 */
export const readOwnCredentials = async (
  readModels: ReadModels,
  { subject, actor }: Caller,
  { page, size }: PageRequest,
): Promise<{ documents: CredentialDocument[]; total: number }> => {
  const find = (where: Where, limit: number) => readModels.find(credentialsProjection, { where, orderBy: NEWEST_FIRST, limit });
  const count = (where: Where) => readModels.count(credentialsProjection, where);
  const had = await find({ subject }, MOST_ACTORS);
  const issuedBy = [...new Set([actor, ...had.map(({ credentialId }) => credentialId)])];
  const [own, issued] = [
    { subject, kind: CREDENTIAL_KINDS, revoked: false },
    { issuedBy, kind: CREDENTIAL_KINDS, revoked: false },
  ];
  const [ofOwn, ofIssued, ofBoth] = await Promise.all([count(own), count(issued), count({ ...own, issuedBy })]);
  const total = ofOwn + ofIssued - ofBoth;
  const [from, to] = [page * size, (page + 1) * size];
  if (from >= total) return { documents: [], total };
  const found = (await Promise.all([find(own, to), find(issued, to)])).flat();
  const each = new Map(found.map((document) => [document.credentialId, document]));
  return { documents: [...each.values()].sort(newestFirst).slice(from, to), total };
};

/** Like the stores' order: the id breaks ties. */
const newestFirst = (a: CredentialDocument, b: CredentialDocument): number => {
  if (a.createdTimestamp !== b.createdTimestamp) return a.createdTimestamp < b.createdTimestamp ? 1 : -1;
  return a.credentialId < b.credentialId ? -1 : 1;
};
