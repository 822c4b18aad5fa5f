/** “Try it” of `/docs`: sends the requests that the pages describe with the credential of this tab. */

// The same storage as the dashboard's (`shell/session.ts`): a user who is signed in there is signed in here.
const KEY = 'tributary.credential';
const MOST_SHOWN = 65_536;

type KeptCredential =
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string };

const keptCredential = (): KeptCredential | null => {
  const text = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  // Only this file and the dashboard write it.
  return text === null ? null : (JSON.parse(text) as KeptCredential);
};

const credentialHeaders = (): Record<string, string> => {
  const credential = keptCredential();
  if (!credential) return {};
  if (credential.kind === 'api-key') return { Authorization: `Basic ${credential.key}` };
  return { 'X-Client-Id': credential.clientId, 'X-Client-Secret': credential.clientSecret };
};

const all = <E extends HTMLElement>(selector: string, within: ParentNode = document): E[] => [...within.querySelectorAll<E>(selector)];

const showCredential = (): void => {
  const isSignedIn = keptCredential() !== null;
  for (const bar of all('[data-credential]')) {
    bar.hidden = false;
    for (const part of all('[data-signed-in]', bar)) part.hidden = !isSignedIn;
    for (const part of all('[data-signed-out]', bar)) part.hidden = isSignedIn;
  }
};

const useKey = (event: Event): void => {
  event.preventDefault();
  const input = document.querySelector<HTMLInputElement>('#api-key');
  const key = input?.value.trim() ?? '';
  if (!input || key === '') return;
  sessionStorage.setItem(KEY, JSON.stringify({ kind: 'api-key', key }));
  input.value = '';
  showCredential();
};

interface Wanted {
  readonly url: string;
  readonly init: RequestInit;
}

/** The request that a form describes; the name of a path parameter that is still missing. */
const requestOf = (form: HTMLFormElement): Wanted | { readonly missing: string } => {
  const { method = 'GET', path = '' } = form.dataset;
  const headers = new Headers(credentialHeaders());
  const query = new URLSearchParams();
  let target = path;
  for (const { value, dataset } of all<HTMLInputElement>('[data-in]', form)) {
    const name = dataset.name ?? '';
    if (dataset.in === 'path') {
      if (value === '') return { missing: name };
      target = target.replace(`{${name}}`, encodeURIComponent(value));
    }
    if (value === '') continue;
    if (dataset.in === 'query') query.append(name, value);
    if (dataset.in === 'header') headers.set(name, value);
  }
  const file = form.querySelector<HTMLInputElement>('[data-file]')?.files?.[0];
  const body = file ?? form.querySelector<HTMLTextAreaElement>('[data-body]')?.value ?? '';
  const type = form.querySelector<HTMLInputElement>('[data-content-type]')?.value;
  if (body !== '' && type) headers.set('Content-Type', type);
  // The browser's own credentials stay out, so that it never asks for a name and a password.
  const init: RequestInit = { method, headers, credentials: 'omit', ...(body !== '' && { body }) };
  return { url: query.size > 0 ? `${target}?${query}` : target, init };
};

const send = async (form: HTMLFormElement): Promise<void> => {
  const answer = form.querySelector<HTMLElement>('[data-answer]');
  const stop = form.querySelector<HTMLButtonElement>('[data-stop]');
  if (!answer || !stop) return;
  const wanted = requestOf(form);
  if ('missing' in wanted) return show(answer, `Fill in ${wanted.missing}.`);
  if (wanted.init.method === 'DELETE' && !confirm(`Send DELETE ${wanted.url}?`)) return;
  const stopping = new AbortController();
  const abort = () => stopping.abort();
  stop.hidden = false;
  stop.addEventListener('click', abort);
  show(answer, 'Sending…');
  const began = performance.now();
  try {
    const response = await fetch(wanted.url, { ...wanted.init, signal: stopping.signal });
    const status = `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`;
    await showBody(answer, status, response);
  } catch (error) {
    if (!stopping.signal.aborted) show(answer, `No answer: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    stop.hidden = true;
    stop.removeEventListener('click', abort);
  }
};

/** Text as it comes, up to a limit; of other bytes their number. */
const showBody = async (answer: HTMLElement, status: string, response: Response): Promise<void> => {
  const type = response.headers.get('Content-Type') ?? '';
  if (!/json|^text\//.test(type)) {
    const { size } = await response.blob();
    return show(answer, status, size === 0 ? '' : `${size} bytes of ${type || 'unknown type'}`);
  }
  let text = '';
  show(answer, status, text);
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += part;
    show(answer, status, text.slice(0, MOST_SHOWN));
    if (text.length > MOST_SHOWN) break;
  }
  show(answer, text.length > MOST_SHOWN ? `${status}. Only the beginning is shown.` : status, readable(text.slice(0, MOST_SHOWN)));
};

const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Text only: a server's answer is never treated as HTML. */
const show = (answer: HTMLElement, status: string, body = ''): void => {
  const line = document.createElement('p');
  line.textContent = status;
  if (body === '') {
    answer.replaceChildren(line);
    return;
  }
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.textContent = body;
  answer.replaceChildren(line, text);
};

for (const bar of all('[data-credential]')) bar.addEventListener('submit', useKey);
for (const part of all('[data-try]')) part.hidden = false;
for (const form of all<HTMLFormElement>('[data-try] form'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
showCredential();

export {};
