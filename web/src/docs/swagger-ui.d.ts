/** What `docs.ts` uses of the viewer. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Viewer {
    preauthorizeApiKey(scheme: string, value: string): void;
  }
  interface ViewerRequest {
    url: string;
    credentials?: RequestCredentials;
    headers: Record<string, string>;
  }
  const SwaggerUI: (options: {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'none';
    readonly syntaxHighlight: false;
    readonly requestInterceptor: (request: ViewerRequest) => ViewerRequest;
    readonly onComplete: () => void;
  }) => Viewer;
  export default SwaggerUI;
}
