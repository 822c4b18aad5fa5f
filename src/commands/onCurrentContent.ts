import { OutdatedContent } from '../domain/outdatedContent.ts';
import { conflict } from '../domain/problem.ts';

/** Other nodes may change a content between its reading and the decision. */
const MOST_TRIES = 32;

/** Repeats a command that reads a content and decides on it until the content was current. Rejects with 409 if it never was. */
export const onCurrentContent = async <Result>(command: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await command();
    } catch (error) {
      if (!(error instanceof OutdatedContent)) throw error;
      if (tries === MOST_TRIES) throw conflict('Too many concurrent changes. Try again.');
    }
  }
};
