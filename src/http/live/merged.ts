import { givingWay } from '../../supervision/ownTurn.ts';

/**
 * Merges several sources as their items arrive, keeping the order within each source. Ends when all have ended, fails when one fails. Reads one item
 * ahead per source, and the next one only after it was taken. Starts them one after another and gives way to other work, however many there are.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  type Arrived = { readonly source: AsyncGenerator<T>; readonly result: IteratorResult<T> } | { readonly error: unknown };
  const arrived: Arrived[] = [];
  let wake = (): void => {};
  const arrive = (item: Arrived): void => {
    arrived.push(item);
    wake();
  };
  const ask = (source: AsyncGenerator<T>): void => {
    source.next().then(
      (result) => arrive({ source, result }),
      (error: unknown) => arrive({ error }),
    );
  };
  let over = false;
  const start = async (): Promise<void> => {
    const giveWay = givingWay();
    for (const source of sources) {
      await giveWay();
      if (over) return;
      ask(source);
    }
  };
  void start();
  try {
    for (let running = sources.length; running > 0; ) {
      const next = arrived.shift();
      if (!next) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ('error' in next) {
        throw next.error;
      } else if (next.result.done) {
        running -= 1;
      } else {
        yield next.result.value;
        ask(next.source);
      }
    }
  } finally {
    over = true;
    // Not awaited: a source that waits for its next item ends when its own signal aborts.
    for (const source of sources) source.return(undefined).catch(() => undefined);
  }
}
