import type { DocumentedParameter } from './documents.ts';
import { type Html, html } from './html.ts';
import { exampleBody, type Operation } from './operations.ts';

/** A form that sends the request with the reader's credential. Hidden until the script of the page takes it. */
export const tryItForm = ({ method, path, operation }: Operation): Html => {
  const { operationId, parameters = [], requestBody } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  return html`<details class="try" data-try hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" aria-label="Try ${operationId}">
${parameters.map((parameter) => parameterField(operationId, parameter))}
${types.length > 0 ? bodyFields(operationId, types, exampleBody(operation)) : null}
<p class="actions"><button type="submit">Send</button> <button type="button" data-stop hidden>Stop</button></p>
<div data-answer role="status" aria-label="Answer of ${operationId}"></div></form></details>`;
};

const parameterField = (operationId: string, { name, in: place, required, example }: DocumentedParameter): Html => {
  const id = `try-${operationId}-${place}-${name}`;
  const value = place === 'path' && example !== undefined ? String(example) : '';
  return html`<p><label for="${id}">${name} <small>${place}${required ? '' : ', optional'}</small></label>
<input id="${id}" data-name="${name}" data-in="${place}" value="${value}" autocomplete="off" spellcheck="false"></p>`;
};

const bodyFields = (
  operationId: string,
  types: readonly string[],
  example: { readonly type: string; readonly text: string } | null,
): Html => {
  const id = `try-${operationId}-body`;
  const type = example?.type ?? types[0] ?? '';
  return html`<p><label for="${id}-type">Content type</label><input id="${id}-type" data-content-type value="${type.includes('*') ? 'application/octet-stream' : type}" autocomplete="off"></p>
<p><label for="${id}">Body</label><textarea id="${id}" data-body rows="6" spellcheck="false">${example?.text ?? ''}</textarea></p>
<p><label for="${id}-file">Or a file as the body</label><input id="${id}-file" data-file type="file"></p>`;
};
