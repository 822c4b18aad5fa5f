/**
 * Small topics as rows beside the events, each a whole segment (`segment.ts`) as its file would hold it. They are stored by `appendTogether` only. All may
 * fail with `StoreUnavailable`.
 */
export interface TopicRows {
  /** Whether another row may be stored. `false` sends small topics to files. */
  hasRoom(): boolean;
  get(topic: string): Buffer | null;
  has(topic: string): boolean;
  /** Ids behind this one, in their order. */
  after(topic: string, limit: number): string[];
  drop(topic: string): Promise<void>;
  /** Resolves when no file of the store has bytes of dropped rows any more. */
  purge(): Promise<void>;
}
