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
  const items = content.utterances.flatMap((utterance, n) => (n === 0 ? utteranceJson(utterance) : [COMMA, utteranceJson(utterance)]));
  const body = Buffer.concat([Buffer.from(`${head.slice(0, -1)},"utterances":[`), ...items, Buffer.from(']}')]);
  return { status: 200, contentType: 'application/json', body, headers: { ETag: `"${transcriptTag(attempt, revision)}"` } };
};

const COMMA = Buffer.from(',');

/** An edit changes a few utterances of many: the bytes of the others stay. As text, 8 MB for ten hours of speech would be encoded for each answer. */
const known = new WeakMap<Utterance, Buffer>();

const utteranceJson = (utterance: Utterance): Buffer => {
  const json = known.get(utterance) ?? Buffer.from(JSON.stringify(shown(utterance)));
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
