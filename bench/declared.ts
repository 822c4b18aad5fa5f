import type { MeasuredServer } from './serverProcess.ts';

const BASE = '/stream-configuration-service/api/v1';

/** A request to the platform's API; `null` if the answer has no body. Rejects for any refusal. */
const asked = async (url: string, authorization: string, method: string, path: string, body: object): Promise<Record<string, unknown>> => {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  // The platform answers with an object.
  return (await response.json()) as Record<string, unknown>;
};

/** URL of uploads to a template with one stage: a user's own processor at this address, which reads and writes bytes as they arrive. */
export const declaredPath = async ({ url }: MeasuredServer, authorization: string, address: string): Promise<string> => {
  const declaration = { name: 'bench', url: address, mode: 'live', inputSchema: 'bytes', outputSchema: 'bytes' };
  const limits = { maxOutputBytes: 1_073_741_824, concurrency: 64 };
  const { id } = await asked(url, authorization, 'PUT', `${BASE}/processor-declarations`, { ...declaration, limits });
  const processors = [{ id: 'declared', processorDeclarationId: id, egress: { sink: true } }];
  const template = { name: 'bench', dataSourceSchema: 'bytes', processors };
  const made = await asked(url, authorization, 'PUT', `${BASE}/stream-configuration-templates`, template);
  return `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${made.id}`;
};
