import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { Processor, RunContext, RunReport } from '../processor.ts';
import type { CallerSchemas } from '../schemas/callerSchemas.ts';
import { type ChatRequest, type ChatServer, Conversation } from './chat.ts';
import { enhance } from './enhance.ts';
import { LlmWriter } from './llmWriter.ts';
import { answerOf, judgedSegments, summaryOf } from './modelTasks.ts';
import { newPace } from './pace.ts';
import { type Passage, readPassages, withoutPrompt } from './passages.ts';
import { hasPrompt, type Prompts, promptsOf } from './prompts.ts';
import { type FormatChecker, formatChecker } from './responseFormat.ts';

/** The engine and the model that wrote a message. */
const madeBy = (server: ChatServer, model: ChatRequest<unknown>['model']) => ({ engine: 'llm', model: server.modelOf(model) });

/** The llm processor on an OpenAI-compatible chat server. */
export const httpLlmProcessor = (declaration: ProcessorDeclaration, server: ChatServer, schemas: CallerSchemas): Processor => ({
  declaration,
  mode: 'batch',
  unavailable: () => null,
  async run(context) {
    const prompts = promptsOf(context.properties);
    if (!hasPrompt(prompts)) return withoutPrompt(context.input);
    context.using?.(madeBy(server, prompts.enhanced?.model ?? 'standard'));
    const passages = await readPassages(context.input, newPace(context.signal), prompts.enhanced !== null);
    return answer(prompts, passages, server, formatChecker(schemas, context), context);
  },
});

const answer = async (
  prompts: Prompts,
  passages: readonly Passage[],
  server: ChatServer,
  checker: FormatChecker,
  { output, signal, memory }: RunContext,
): Promise<RunReport> => {
  const { maxCharacters } = server.settings;
  const conversation = new Conversation(server, { signal, ...(memory && { memory }) });
  const writer = new LlmWriter(output);
  const standard = madeBy(server, 'standard');
  for (const question of prompts.questions) {
    const content = await answerOf(question, passages, conversation, maxCharacters, checker);
    const { promptId, format } = question;
    await writer.write(standard, { promptId, responseFormatSpecification: format, askAnything: [{ content }] });
  }
  if (prompts.summary) {
    const content = await summaryOf(prompts.summary, passages, conversation, maxCharacters);
    await writer.write(standard, { summary: [{ content }] });
  }
  if (prompts.sentiment) await writer.sentiment(judgedSegments(passages, conversation), standard);
  if (prompts.enhanced) await enhance(prompts.enhanced, passages, conversation, output, madeBy(server, prompts.enhanced.model));
  return conversation.report;
};
