/** The bucket of a platform (`TOPICS_URL`), for its policies and its operator. Its topics are part of `Stores.topics`. */
export interface ObjectStorage {
  /** Completes interrupted moves and, once a day, deletes objects without an owner. Call it after a `list` of the topics, on one node at a time. */
  tidy(signal: AbortSignal): Promise<void>;
  /** The operator confirms a restored log: objects without an owner are deleted again. */
  confirmRestored(): Promise<void>;
}
