import { type LlmMessage, MESSAGE_SCHEMAS, type SentimentSegment } from '../../domain/stream/messages.ts';
import { SentimentTotals } from '../../domain/stream/sentimentTotals.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { ProcessorOutput } from '../processor.ts';

/** Characters of segments in one message, well under a frame's 1 MiB. */
const MESSAGE_CHARACTERS = 100_000;

export type LlmPart = Partial<Omit<LlmMessage, 'sequenceId' | 'metadata'>>;

/** Writes the messages of an llm run, numbered in order. `metadata` names the engine. */
export class LlmWriter {
  readonly #output: ProcessorOutput;
  #sequenceId = 0;

  constructor(output: ProcessorOutput) {
    this.#output = output;
  }

  async write(metadata: JsonObject, part: LlmPart): Promise<void> {
    const message: LlmMessage = {
      promptId: null,
      responseFormatSpecification: null,
      ...part,
      sequenceId: this.#sequenceId++,
      metadata,
    };
    await this.#output.message({ frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.llm, payload: asJson(message), headers: {} });
  }

  /** Writes the segments in messages of bounded size, then their summary. */
  async sentiment(segments: AsyncIterable<SentimentSegment>, metadata: JsonObject): Promise<void> {
    const totals = new SentimentTotals();
    let waiting: SentimentSegment[] = [];
    let characters = 0;
    const flush = async () => {
      if (waiting.length > 0) await this.write(metadata, { sentimentAnalysis: waiting });
      waiting = [];
      characters = 0;
    };
    for await (const segment of segments) {
      totals.add(segment);
      waiting.push(segment);
      characters += segment.text.length + 150;
      if (characters > MESSAGE_CHARACTERS) await flush();
    }
    await flush();
    await this.write(metadata, { sentimentAnalysisSummary: totals.result() });
  }
}

/** The message as plain JSON, without undefined members. */
const asJson = (message: LlmMessage): Json => JSON.parse(JSON.stringify(message));
