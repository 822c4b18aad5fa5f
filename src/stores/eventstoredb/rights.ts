import type { Clock } from '../../clock.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { storedObject } from '../log/unreadableEvent.ts';
import type { ServerAddress } from './connectionString.ts';
import { askOverHttp } from './httpQuestion.ts';
import type { LogReading } from './logReading.ts';

const [EVERYBODY, ADMINISTRATORS] = ['$all', '$admins'];
const ADVICE = 'See "Rights in EventStoreDB" in docs/operations-cluster.md.';

/** Sentences on rights that weaken what the log proves: the platform's user could delete, or other users can read. Empty if both are ruled out. */
export const rightsWarnings = async (address: ServerAddress, reading: Pick<LogReading, 'stream'>, clock: Clock): Promise<string[]> => {
  const { credentials, tls } = address;
  if (tls === null || credentials === null)
    return [`EVENTSTORE_URL has no TLS or no user: everybody who reaches EventStoreDB can read and delete the log. ${ADVICE}`];
  const groups = await groupsOf(address, clock);
  const access = await userAccess(reading);
  const own = new Set([credentials.user, ...groups, ...(credentials.user === 'admin' ? [ADMINISTRATORS] : [])]);
  const mayDelete = own.has(ADMINISTRATORS) || access('$d').some((name) => name === EVERYBODY || own.has(name));
  const others = access('$r').filter((name) => name !== credentials.user && name !== ADMINISTRATORS);
  return [
    ...(mayDelete
      ? [`The user ${JSON.stringify(credentials.user)} of EVENTSTORE_URL may delete event streams in EventStoreDB. ${ADVICE}`]
      : []),
    ...(others.length > 0 ? [`Other users may read the log in EventStoreDB: ${others.map(shown).join(', ')}. ${ADVICE}`] : []),
  ];
};

const shown = (name: string): string => (name === EVERYBODY ? 'all that it has' : name);

/** Default: everyone, like the server's. */
const userAccess = async (reading: Pick<LogReading, 'stream'>): Promise<(right: string) => readonly string[]> => {
  const [newest] = await reading.stream('$settings', { direction: 'backwards', limit: 1 });
  const list = newest ? objectIn(storedObject(newest.text.data), '$userStreamAcl') : {};
  return (right) => namesIn(list, right) ?? [EVERYBODY];
};

const groupsOf = async (address: ServerAddress, clock: Clock): Promise<readonly string[]> => {
  for (const host of address.hosts) {
    const answer = await askOverHttp(address, host, '/users/$current', clock);
    if (answer?.status === 200) return namesIn(objectIn(storedObject(answer.body), 'data'), 'groups') ?? [];
  }
  return [];
};

const objectIn = (value: JsonObject, name: string): JsonObject => {
  const member = value[name];
  return isJsonObject(member) ? member : {};
};

/** One name or a list of names; `null` without any. */
const namesIn = (value: JsonObject, name: string): readonly string[] | null => {
  const member = value[name];
  if (typeof member === 'string') return [member];
  return Array.isArray(member) ? member.filter((one) => typeof one === 'string') : null;
};
