const mended = Symbol('mended');

/**
 * Fails commands that wait to be sent when their connection ends.
 *
 * The driver (7.9.0) waits for `drain` if a socket's buffer is full or the socket has just been destroyed. Only an `error` of the socket ends that wait; a
 * close or a time-out does not, so the command would hang forever and keep its place in the pool. So the end of a connection becomes an `error` of its
 * socket, also for a command that is still being compressed. Remove this when `writeCommand` of the driver notices the end by itself; a test in
 * `test/faults/mongoAway.test.ts` shows it.
 */
export const failWaitingWrites = async (): Promise<void> => {
  const { Connection } = await import('mongodb/lib/cmap/connection.js');
  if (mended in Connection.prototype) return;
  const { cleanup } = Connection.prototype;
  Object.assign(Connection.prototype, {
    [mended]: true,
    cleanup(this: InstanceType<typeof Connection>, error: Error): void {
      const wasOpen = !this.closed;
      cleanup.call(this, error);
      if (!wasOpen) return;
      this.socket.write = () => {
        throw error;
      };
      this.socket.emit('error', error);
    },
  });
};
