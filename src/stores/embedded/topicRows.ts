/**
 * Small topics beside the events, each as a whole segment (`segment.ts`) in a row. They are stored with events (`EventStore.keepsTopics`). All
 * methods may reject with `StoreUnavailable`.
 */
export interface TopicRows {
  /** Whether another topic may be stored. `false` sends small topics to files. */
  hasRoom(): boolean;
  /** Throws `TopicDamaged` if its bytes are lost. */
  get(topic: string): Buffer | null;
  has(topic: string): boolean;
  /** Ids after this one, in order. */
  after(topic: string, limit: number): string[];
  drop(topic: string): Promise<void>;
  /** Resolves when no file of the store contains bytes of dropped topics. */
  purge(): Promise<void>;
}
