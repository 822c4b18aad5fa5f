import type { MessageDocument, SocketDocument } from './documents.ts';
import { type Html, html, inline, markdown } from './html.ts';
import { schemaBody, schemaType } from './schemas.ts';

interface NamedMessage {
  readonly id: string;
  readonly message: MessageDocument;
}

export const webSocketMessages = ({ channels }: SocketDocument): readonly NamedMessage[] =>
  Object.entries(channels.gateway.messages).map(([id, message]) => ({ id, message }));

/** The gateway: its address, its query, and the messages in both directions. */
export const webSocketSection = (socket: SocketDocument): Html => {
  const { info, servers, channels } = socket;
  const { address, bindings } = channels.gateway;
  const { protocol, host } = servers.tributary;
  const of = (side: string): readonly Html[] =>
    webSocketMessages(socket)
      .filter(({ id }) => id.startsWith(`${side}.`))
      .map(messageSection);
  return html`<section><p><code>${`${protocol}://${host}${address}`}</code></p>${markdown(info.description)}
<h2>Query</h2>${schemaBody(bindings.ws.query)}
<h2>From the client</h2>${of('client')}<h2>From the server</h2>${of('server')}</section>`;
};

const messageSection = ({ id, message: { name, summary, contentType, payload, examples = [] } }: NamedMessage): Html =>
  html`<section class="operation" id="${id}"><h3><code>${name}</code></h3><p>${inline(summary)}</p>
<p>${contentType === 'application/json' ? schemaType(payload) : 'Bytes, in a binary message.'}</p>
${examples.map((example) => html`<pre tabindex="0"><code>${JSON.stringify(example.payload)}</code></pre>`)}</section>`;
