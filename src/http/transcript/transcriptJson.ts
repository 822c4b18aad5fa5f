import type { Transcript } from '../../commands/transcript/readTranscript.ts';
import { textOf, type Utterance } from '../../domain/transcript/content.ts';
import { transcriptTag } from '../../domain/transcript/decisions.ts';
import { speakerIdsOf } from '../../domain/transcript/speakers.ts';
import { wordsOf } from '../../domain/transcript/words.ts';
import type { ApiResponse } from '../route/route.ts';

/** The answer with a transcript: its JSON and its ETag. */
export const transcriptAnswer = (transcript: Transcript): ApiResponse & { readonly headers: { readonly ETag: string } } => {
  const { streamId, attempt, revision, language, duration, content } = transcript;
  const head = JSON.stringify({ streamId, attempt, revision, language, duration, speakers: content.speakers });
  const body = `${head.slice(0, -1)},"utterances":[${content.utterances.map(utteranceJson).join(',')}]}`;
  return { status: 200, contentType: 'application/json', body, headers: { ETag: `"${transcriptTag(attempt, revision)}"` } };
};

/** An edit changes a few utterances of many: the text of the others stays. */
const known = new WeakMap<Utterance, string>();

const utteranceJson = (utterance: Utterance): string => {
  const json = known.get(utterance) ?? JSON.stringify(shown(utterance));
  known.set(utterance, json);
  return json;
};

const shown = ({ id, message, edited }: Utterance): object => ({
  id,
  speaker: speakerIdsOf(message)[0] ?? null,
  channel: message.channel,
  start: message.start,
  end: message.end,
  text: textOf(message),
  words: wordsOf(message).map(({ word, start, end, confidence }) => ({ word, start, end, confidence })),
  edited,
});
