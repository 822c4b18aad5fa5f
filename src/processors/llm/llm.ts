import { Problem } from '../../domain/problem.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import type { CallerSchemas } from '../schemas/callerSchemas.ts';
import { Extracts } from './extracts.ts';
import { type LlmPart, LlmWriter } from './llmWriter.ts';
import { newPace, type Pace } from './pace.ts';
import { type Passage, readPassages, withoutPrompt } from './passages.ts';
import { hasPrompt, type Prompts, promptsOf } from './prompts.ts';
import { type FormatChecker, formatChecker, formatted } from './responseFormat.ts';
import { sentimentSegments } from './sentiment.ts';

const EXTRACTIVE = { engine: 'extractive' };
const LEXICON = { engine: 'lexicon' };
const ENHANCED_NEEDS_MODEL = 'Enhanced transcription needs a language model, and this server has none (LLM_URL).';

/**
 * The llm processor offline: sentiment from a lexicon (VADER, English), and summaries and answers made of the text's own sentences, labelled as
 * extracts (`metadata.engine`). `summaryTone` and the system prompts need a language model and have no effect here.
 */
export const offlineLlmProcessor = (declaration: ProcessorDeclaration, schemas: CallerSchemas): Processor => ({
  declaration,
  mode: 'batch',
  unavailable(properties) {
    if (promptsOf(properties).enhanced) throw new Problem('PROCESSOR_FEATURE_ERROR', ENHANCED_NEEDS_MODEL);
    return null;
  },
  async run(context) {
    const prompts = promptsOf(context.properties);
    if (prompts.enhanced) throw new ProcessorError('PROCESSOR_FEATURE_ERROR', ENHANCED_NEEDS_MODEL);
    if (!hasPrompt(prompts)) return withoutPrompt(context.input);
    const extracts = prompts.summary !== null || prompts.questions.length > 0;
    context.using?.({ ...(extracts ? EXTRACTIVE : LEXICON), model: null });
    const pace = newPace(context.signal);
    return answer(prompts, await readPassages(context.input, pace), pace, formatChecker(schemas, context), context);
  },
});

const answer = async (
  prompts: Prompts,
  passages: readonly Passage[],
  pace: Pace,
  checker: FormatChecker,
  { output }: RunContext,
): Promise<RunReport> => {
  const writer = new LlmWriter(output);
  const extracts = await Extracts.of(passages, pace);
  for (const message of await answers(prompts, extracts, checker)) await writer.write(EXTRACTIVE, message);
  if (prompts.summary) {
    const content = await extracts.summary(prompts.summary.length, prompts.summary.structure);
    await writer.write(EXTRACTIVE, { summary: [{ content }] });
  }
  if (prompts.sentiment) await writer.sentiment(sentimentSegments(passages, pace), LEXICON);
  return {};
};

/** Computes everything before the first write: a response format that cannot be filled must not leave half an output. */
const answers = async ({ questions }: Prompts, extracts: Extracts, checker: FormatChecker): Promise<LlmPart[]> => {
  const parts: LlmPart[] = [];
  for (const { promptId, content, format } of questions) {
    const sentences = await extracts.answers(content);
    const text = format === null ? sentences.join(' ') : await formatted(format, sentences, promptId, checker);
    parts.push({ promptId, responseFormatSpecification: format, askAnything: [{ content: text }] });
  }
  return parts;
};
