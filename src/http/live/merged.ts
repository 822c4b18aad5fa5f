/**
 * Merges several sources as their items arrive, keeping the order within each source. Ends when all have ended, fails when one fails. Reads one item
 * ahead per source, and the next one only after it was taken.
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
  for (const source of sources) ask(source);
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
    // Not awaited: a source that waits for its next item ends when its own signal aborts.
    for (const source of sources) source.return(undefined).catch(() => undefined);
  }
}
