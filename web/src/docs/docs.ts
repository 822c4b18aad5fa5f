/** The script of `/docs`: the dashboard's theme on all pages, and the viewer of the OpenAPI document. */
import { keptCredential, PROOF_OF_SESSION } from '../shell/session.ts';
import { applyTheme, theme } from '../shell/theme.ts';

/** `dark-mode` is the viewer's own sign of dark colours. */
const markDark = (): void => {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && prefersDark.matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
};

const show = async (domNode: HTMLElement): Promise<void> => {
  const [{ default: SwaggerUI }, response] = await Promise.all([import('swagger-ui-dist/swagger-ui-es-bundle.js'), fetch('/openapi.json')]);
  const viewer = SwaggerUI({
    domNode,
    // The policy of the page allows requests to its own origin only, whatever PUBLIC_URL says.
    spec: { ...(await response.json()), servers: [{ url: location.origin }] },
    deepLinking: true,
    docExpansion: 'none',
    syntaxHighlight: false,
    requestInterceptor: (request) => Object.assign(request, proofOf(request)),
    onComplete: () => {
      const kept = keptCredential();
      if (kept?.kind === 'api-key') viewer.preauthorizeApiKey('apiKey', `Basic ${kept.key}`);
      if (kept?.kind === 'client') {
        viewer.preauthorizeApiKey('clientId', kept.clientId);
        viewer.preauthorizeApiKey('clientSecret', kept.clientSecret);
      }
    },
  });
};

/** The session's cookie, unless a key is kept. The token endpoint never gets it: the browser would ask for a name and a password there. */
const proofOf = ({ url, headers }: { readonly url: string; readonly headers: object }): object =>
  keptCredential() || new URL(url, location.href).pathname.startsWith('/realms/')
    ? { credentials: 'omit' }
    : { ...PROOF_OF_SESSION, headers: { ...headers, ...PROOF_OF_SESSION.headers } };

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
prefersDark.addEventListener('change', markDark);
applyTheme();
markDark();
const place = document.getElementById('viewer');
if (place) await show(place);
