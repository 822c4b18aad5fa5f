import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../eventStore.ts';
import type { Driver } from './driver.ts';
import { fromPosition } from './position.ts';

type Direction = 'forwards' | 'backwards';

const optionsOf = ({ streams, shared }: Driver): ReadReq.Options => {
  const options = new streams.ReadReq.Options();
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  options.setNoFilter(new shared.Empty());
  options.setResolveLinks(false);
  return options;
};

const requestOf = ({ streams }: Driver, options: ReadReq.Options): ReadReq => {
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
};

const page = (options: ReadReq.Options, count: number, direction: Direction): ReadReq.Options =>
  options.setCount(String(count)).setReadDirection(direction === 'forwards' ? 0 : 1);

/** `from`: a revision, inclusive; `null`: from the first event, or from the last one backwards. */
export const streamPage = (
  driver: Driver,
  { eventStream, from, count, direction }: { eventStream: string; from: bigint | null; count: number; direction: Direction },
): ReadReq => {
  const { streams, shared } = driver;
  const stream = new streams.ReadReq.Options.StreamOptions();
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(eventStream));
  stream.setStreamIdentifier(name);
  if (from !== null) stream.setRevision(from.toString());
  else if (direction === 'forwards') stream.setStart(new shared.Empty());
  else stream.setEnd(new shared.Empty());
  return requestOf(driver, page(optionsOf(driver).setStream(stream), count, direction));
};

const allFrom = ({ streams, shared }: Driver, after: Position | null, direction: Direction): ReadReq.Options.AllOptions => {
  const all = new streams.ReadReq.Options.AllOptions();
  if (after === null) return direction === 'forwards' ? all.setStart(new shared.Empty()) : all.setEnd(new shared.Empty());
  const { commit, prepare } = fromPosition(after);
  const position = new streams.ReadReq.Options.Position();
  position.setCommitPosition(commit);
  position.setPreparePosition(prepare);
  return all.setPosition(position);
};

/** Reads the whole log with system events. Forwards the event at the position itself comes first. Throws `TypeError` for an invalid position. */
export const allPage = (driver: Driver, after: Position | null, count: number, direction: Direction): ReadReq =>
  requestOf(driver, page(optionsOf(driver).setAll(allFrom(driver, after, direction)), count, direction));

/** Events between two checkpoints: signs of life while nothing matches. */
const [WINDOW, WINDOWS_PER_CHECKPOINT] = [500, 20];

/** A live subscription to the events of some types, after a position. */
export const filteredSubscription = (driver: Driver, after: Position | null, types: readonly string[]): ReadReq => {
  const { streams } = driver;
  const expression = new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList([...types]);
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setEventType(expression)
    .setMax(WINDOW)
    .setCheckpointintervalmultiplier(WINDOWS_PER_CHECKPOINT);
  const options = optionsOf(driver);
  options.clearNoFilter();
  return requestOf(
    driver,
    options
      .setFilter(filter)
      .setAll(allFrom(driver, after, 'forwards'))
      .setSubscription(new streams.ReadReq.Options.SubscriptionOptions()),
  );
};

/** A live subscription to the whole log, after a position. */
export const allSubscription = (driver: Driver, after: Position | null): ReadReq =>
  requestOf(
    driver,
    optionsOf(driver)
      .setAll(allFrom(driver, after, 'forwards'))
      .setSubscription(new driver.streams.ReadReq.Options.SubscriptionOptions()),
  );
