import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { TEXT_TEMPLATE } from '../../e2e/client.ts';
import { ADMIN_KEY } from '../../e2e/server.ts';
import type { Site } from '../site.ts';

/** The typed client in a real browser, where uploads use XMLHttpRequest and WebSockets cannot send headers. */
export const clientStories = (site: () => Site): void => {
  test('uploads with progress, reads live, and holds a session with the typed client', async () => {
    const page = await site().visit({ key: null });
    const { outputFiles } = await build({
      entryPoints: ['clients/typescript/src/index.ts'],
      bundle: true,
      format: 'iife',
      globalName: 'tributaryClient',
      write: false,
    });
    // Through the debugger, which the page's content security policy does not restrict.
    await page.evaluate(`${outputFiles[0]?.text}; globalThis.tributaryClient = tributaryClient;`);
    const outcome = await page.evaluate(
      async ({ url, apiKey, template }) => {
        const { Tributary } = (globalThis as unknown as { tributaryClient: typeof import('#client') }).tributaryClient;
        const tributary = new Tributary({ url, credential: { apiKey } });
        const progress: number[] = [];
        const body = new Blob(['All is well. '.repeat(20_000)]);
        const onProgress = ({ sent }: { sent: number }) => progress.push(sent);
        const { streamId } = await tributary.upload({ template, body, persist: true, patches: { summary: true }, onProgress });
        const { state } = await tributary.whenEnded(streamId);
        const messages = [];
        for await (const message of tributary.live(streamId)) messages.push(message.processorId);
        const session = await tributary.session({ template, patches: { summary: true } });
        await session.send(new TextEncoder().encode('All is well.'));
        session.end();
        const heard = [];
        for await (const message of session) heard.push(message.processorId);
        const refusal = await tributary.stream(crypto.randomUUID()).catch((error) => error.internalErrorName);
        return { progress: progress.at(-1), size: body.size, state, messages, heard, refusal };
      },
      { url: site().url, apiKey: ADMIN_KEY, template: TEXT_TEMPLATE },
    );
    expect(outcome).toMatchObject({ state: 'COMPLETED', messages: ['llm'], heard: ['llm'], refusal: 'GENERAL_NOT_FOUND_ERROR' });
    expect(outcome.progress).toBe(outcome.size);
  });
};
