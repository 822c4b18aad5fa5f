import * as s from '../../schema.ts';
import { defineRoute, type Route } from '../route/route.ts';
import type { McpDeps } from './answerMcp.ts';

const EXAMPLE = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;

/** Serves `POST /mcp` (`docs/guides/mcp.md`). Stateless: each message has a server of its own. */
export const mcpRoute = (deps: McpDeps): Route =>
  defineRoute({
    operationId: 'sendMcpMessage',
    tag: 'Language models',
    method: 'POST',
    path: '/mcp',
    summary: 'The Model Context Protocol over streamable HTTP, without sessions.',
    description:
      'Tools and resources for language models: transcribe a recording, list, search, read and share transcripts, ask about them.',
    access: 'authenticated',
    body: { kind: 'json', schema: s.anyObject, examples: { tools: { summary: 'The tools', value: EXAMPLE } } },
    responses: {
      200: { description: 'The answer.', schema: s.anyObject, alternatives: { 'text/event-stream': s.anyObject } },
      202: { description: 'A notification, which has no answer.' },
      406: { description: '`Accept` must name application/json and text/event-stream.' },
    },
    // The SDK is loaded at the first message, not at the start.
    handle: async (request) => (await import('./answerMcp.ts')).answerMcp(deps, request),
  });
