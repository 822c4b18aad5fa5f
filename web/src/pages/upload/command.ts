import { addressOf } from '../../api/address.ts';
import { patchHeaders, UPLOAD, type UploadSettings, webhookQuery } from '../../api/uploadSettings.ts';

interface Upload extends UploadSettings {
  /** Of the server. */
  readonly origin: string;
  readonly templateId: string;
  /** `null` for a file. */
  readonly link: string | null;
}

/** The same upload as a command for a shell. The key is left to a variable. */
export const commandOf = ({ origin, templateId, query, patches, webhooks, link }: Upload): string => {
  const address = addressOf(`${origin}${UPLOAD}`, { streamConfigurationTemplateId: templateId, ...query, ...webhookQuery(webhooks) });
  const headers = { ...patchHeaders(patches), 'Content-Type': link === null ? 'application/octet-stream' : 'text/plain' };
  return [
    `curl -X POST ${quoted(address)}`,
    '-H "Authorization: Basic $API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    link === null ? '--data-binary @FILE' : `--data-raw ${quoted(link)}`,
  ].join(' \\\n  ');
};

/** One word for a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
