import { type LlmMessage, MESSAGE_SCHEMAS, type SentimentSegment } from '../../domain/messages.ts';
import { Problem } from '../../domain/problem.ts';
import type { ProcessorDeclaration } from '../../domain/template.ts';
import type { Json } from '../../json.ts';
import { type Processor, ProcessorError, type ProcessorOutput, type RunContext, type RunReport } from '../processor.ts';
import { Extracts } from './extracts.ts';
import { newPace, type Pace } from './pace.ts';
import { type Passage, readPassages } from './passages.ts';
import { type Prompts, promptsOf } from './prompts.ts';
import { formatted } from './responseFormat.ts';
import { SentimentTotals, sentimentSegments } from './sentiment.ts';

const ENHANCED_NEEDS_MODEL = 'Enhanced transcription needs a language model, and this server has none (LLM_URL).';

/** Segments of one message, in characters: well under a frame's 1 MiB. */
const MESSAGE_CHARACTERS = 100_000;

/**
 * The llm processor in its offline forms: sentiment from a lexicon (VADER, English), summary and answers made of the text's own sentences,
 * and marked so (`metadata.engine`). `summaryTone` and the system prompts need a model that writes: they have no effect here.
 */
export const offlineLlmProcessor = (declaration: ProcessorDeclaration): Processor => ({
  declaration,
  mode: 'batch',
  unavailable(properties) {
    if (promptsOf(properties).enhanced) throw new Problem('PROCESSOR_FEATURE_ERROR', ENHANCED_NEEDS_MODEL);
    return null;
  },
  async run(context) {
    const prompts = promptsOf(context.properties);
    if (prompts.enhanced) throw new ProcessorError('PROCESSOR_FEATURE_ERROR', ENHANCED_NEEDS_MODEL);
    const passages = await readPassages(context.input);
    const nothing = !prompts.summary && !prompts.sentiment && prompts.questions.length === 0;
    return nothing ? { description: 'Stream has no prompt enabled' } : answer(prompts, passages, context);
  },
});

const answer = async (prompts: Prompts, passages: readonly Passage[], { output, signal }: RunContext): Promise<RunReport> => {
  const writer = new Writer(output);
  const pace = newPace(signal);
  const extracts = await Extracts.of(passages, pace);
  for (const message of await answers(prompts, extracts)) await writer.write('extractive', message);
  if (prompts.summary) {
    const content = await extracts.summary(prompts.summary.length, prompts.summary.structure);
    await writer.write('extractive', { summary: [{ content }] });
  }
  if (prompts.sentiment) await judge(passages, writer, pace);
  return {};
};

/** All before the first is written: a response format that cannot be filled must not leave half an output. */
const answers = async ({ questions }: Prompts, extracts: Extracts): Promise<Part[]> => {
  const parts: Part[] = [];
  for (const { promptId, content, format } of questions) {
    const sentences = await extracts.answers(content);
    const text = format === null ? sentences.join(' ') : formatted(format, sentences, promptId);
    parts.push({ promptId, responseFormatSpecification: format, askAnything: [{ content: text }] });
  }
  return parts;
};

const judge = async (passages: readonly Passage[], writer: Writer, pace: Pace): Promise<void> => {
  const totals = new SentimentTotals();
  let segments: SentimentSegment[] = [];
  let characters = 0;
  const flush = async () => {
    if (segments.length > 0) await writer.write('lexicon', { sentimentAnalysis: segments });
    segments = [];
    characters = 0;
  };
  for await (const segment of sentimentSegments(passages, pace)) {
    totals.add(segment);
    segments.push(segment);
    characters += segment.text.length + 150;
    if (characters > MESSAGE_CHARACTERS) await flush();
  }
  await flush();
  await writer.write('lexicon', { sentimentAnalysisSummary: totals.result() });
};

type Part = Partial<Omit<LlmMessage, 'sequenceId' | 'metadata'>>;

class Writer {
  readonly #output: ProcessorOutput;
  #sequenceId = 0;

  constructor(output: ProcessorOutput) {
    this.#output = output;
  }

  async write(engine: 'extractive' | 'lexicon', part: Part): Promise<void> {
    const message: LlmMessage = {
      promptId: null,
      responseFormatSpecification: null,
      ...part,
      sequenceId: this.#sequenceId++,
      metadata: { engine },
    };
    await this.#output.message({ frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.llm, payload: asJson(message), headers: {} });
  }
}

/** The message as plain JSON: what is undefined goes. */
const asJson = (message: LlmMessage): Json => JSON.parse(JSON.stringify(message));
