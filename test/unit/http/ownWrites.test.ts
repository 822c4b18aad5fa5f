import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Role } from '../../../src/domain/credentials/events.ts';
import { OwnWrites } from '../../../src/http/answers/ownWrites.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { AppendListener } from '../../../src/stores/log/announcedLog.ts';
import { ManualClock } from '../../manualClock.ts';

const at = (position: number) => String(position).padStart(3, '0') as Position;
const callerOf = (subject: string, ...roles: Role[]) => ({
  subject,
  actor: 'credential',
  roles: roles.length > 0 ? roles : ['user' as const],
});
const [ANNA, BEN] = [callerOf('anna'), callerOf('ben')];

/** Read models that have handled everything up to a position. */
const readModelsAt = (handled: number) => {
  const waited: Position[] = [];
  const waitFor = async (_: readonly string[], position: Position) => {
    waited.push(position);
    return position <= at(handled);
  };
  return { waited, readModels: { waitFor, isPosition: async () => true, keepUp: () => true } };
};

test("makes a user wait for that user's last acknowledged position only", async () => {
  const { waited, readModels } = readModelsAt(9);
  const ownWrites = new OwnWrites({ readModels, clock: systemClock });
  ownWrites.acknowledged(ANNA, at(5));
  ownWrites.acknowledged(ANNA, at(4));
  ownWrites.acknowledged(BEN, at(7));
  expect(await ownWrites.missing(ANNA, ['streams'])).toBeNull();
  expect(waited).toEqual([at(5)]);
  expect(await ownWrites.missing(callerOf('carl'), ['streams'])).toBeNull();
  expect(waited).toEqual([at(5)]);
});

test('makes an administrator or auditor wait for positions acknowledged to anyone', async () => {
  const { waited, readModels } = readModelsAt(9);
  const ownWrites = new OwnWrites({ readModels, clock: systemClock });
  ownWrites.acknowledged(ANNA, at(5));
  ownWrites.acknowledged(BEN, at(3));
  await ownWrites.missing(callerOf('root', 'admin'), ['streams']);
  await ownWrites.missing(callerOf('eve', 'auditor'), ['streams']);
  expect(waited).toEqual([at(5), at(5)]);
});

test('names the position that the read models did not reach', async () => {
  const ownWrites = new OwnWrites({ readModels: readModelsAt(4).readModels, clock: systemClock });
  ownWrites.acknowledged(ANNA, at(5));
  expect(await ownWrites.missing(ANNA, ['streams'])).toBe(at(5));
});

test('makes a user who was forgotten among many wait for a safe position', async () => {
  const { waited, readModels } = readModelsAt(99_999);
  const ownWrites = new OwnWrites({ readModels, clock: systemClock });
  ownWrites.acknowledged(ANNA, at(50_000));
  for (let n = 0; n < 10_000; n++) ownWrites.acknowledged(callerOf(`user ${n}`), at(60_000 + n));
  await ownWrites.missing(ANNA, ['streams']);
  expect(waited).toEqual([at(50_000)]);
});

test('reads the head once, afterwards, for simultaneous reads when other nodes write too', async () => {
  const { waited, readModels } = readModelsAt(99);
  const looks: ((position: Position) => void)[] = [];
  const head = () => new Promise<Position>((resolve) => looks.push(resolve));
  const ownWrites = new OwnWrites({ readModels, clock: systemClock, head });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const first = ownWrites.missing(ANNA, ['streams']);
  await turn();
  const others = [ownWrites.missing(ANNA, ['streams']), ownWrites.missing(BEN, ['streams'])];
  looks[0]?.(at(10));
  await first;
  await turn();
  expect(looks.length).toBe(2);
  looks[1]?.(at(11));
  await Promise.all(others);
  expect(waited).toEqual([at(10), at(11), at(11)]);
});

test('lets reads continue if the head of the log cannot be read in two seconds', async () => {
  const { waited, readModels } = readModelsAt(99);
  const clock = new ManualClock();
  const ownWrites = new OwnWrites({ readModels, clock, head: () => new Promise(() => {}) });
  const read = ownWrites.missing(ANNA, ['streams']);
  await clock.advance(2_000);
  expect(await read).toBeNull();
  expect(waited).toEqual([]);
});

test('makes reads wait for the head at the start after a lone node restarts', async () => {
  const { waited, readModels } = readModelsAt(99);
  const ownWrites = new OwnWrites({ readModels, clock: systemClock, lone: { begunAt: at(5), head: async () => at(5) } });
  await ownWrites.missing(ANNA, ['streams']);
  await ownWrites.missing(callerOf('root', 'admin'), ['streams']);
  expect(waited).toEqual([at(5), at(5)]);
});

test('counts a change without a position as acknowledged up to the head of the log', async () => {
  const { waited, readModels } = readModelsAt(99);
  const ownWrites = new OwnWrites({ readModels, clock: systemClock, lone: { begunAt: null, head: async () => at(7) } });
  await ownWrites.acknowledgedWithoutPosition(ANNA);
  await ownWrites.missing(ANNA, ['streams']);
  await ownWrites.missing(BEN, ['streams']);
  expect(waited).toEqual([at(7)]);
});

test('makes a user of a lone node wait for the last event about that user, whichever part of the node appended it', async () => {
  const { waited, readModels } = readModelsAt(99);
  const appendListeners = new Set<AppendListener>();
  const ownWrites = new OwnWrites({ readModels, clock: systemClock, lone: { begunAt: null, head: async () => null, appendListeners } });
  for (const listener of appendListeners) listener('anna', at(6));
  await ownWrites.missing(ANNA, ['streams']);
  await ownWrites.missing(BEN, ['streams']);
  await ownWrites.missing(callerOf('root', 'admin'), ['streams']);
  expect(waited).toEqual([at(6), at(6)]);
});
