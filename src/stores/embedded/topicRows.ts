/**
 * Small topics as rows beside the events, each as a whole segment (`segment.ts`). They are stored with events (`EventStore.keepsTopics`). All methods may reject with
 * `StoreUnavailable`.
 */
export interface TopicRows {
  /** Whether another row may be stored. `false` sends small topics to files. */
  hasRoom(): boolean;
  get(topic: string): Buffer | null;
  has(topic: string): boolean;
  /** Ids after this one, in order. */
  after(topic: string, limit: number): string[];
  drop(topic: string): Promise<void>;
  /** Resolves when no file of the store contains bytes of dropped rows. */
  purge(): Promise<void>;
}
