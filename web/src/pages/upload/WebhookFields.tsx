import { SelectField, TextField } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';

export interface WebhookDraft {
  readonly url: string;
  readonly events: string;
}

const MAX_WEBHOOKS = 3;
const EVENTS = [
  ['stream.*', 'All stream events'],
  ['stream.completed', 'Stream completed'],
  ['stream.failed', 'Stream failed'],
  ['group.*', 'All group events'],
  ['*', 'Everything'],
] as const;

interface WebhookFieldsProps {
  readonly drafts: readonly WebhookDraft[];
  readonly onChange: (drafts: readonly WebhookDraft[]) => void;
}

/** Webhooks of this one stream. */
export const WebhookFields = ({ drafts, onChange }: WebhookFieldsProps) => {
  const replace = (n: number, draft: WebhookDraft) => onChange(drafts.map((one, index) => (index === n ? draft : one)));
  return (
    <div class="webhook-fields">
      {drafts.map((draft, n) => (
        <div key={n} class="webhook-field">
          <TextField
            label={`Webhook ${n + 1}`}
            type="url"
            placeholder="https://example.org/hook"
            value={draft.url}
            onInput={(url) => replace(n, { ...draft, url })}
          />
          <SelectField label="Events" value={draft.events} options={EVENTS} onChange={(events) => replace(n, { ...draft, events })} />
          <button
            type="button"
            class="button bare"
            aria-label={`Remove webhook ${n + 1}`}
            onClick={() => onChange(drafts.filter((_, index) => index !== n))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {drafts.length < MAX_WEBHOOKS && (
        <button type="button" class="button" onClick={() => onChange([...drafts, { url: '', events: 'stream.*' }])}>
          Add a webhook
        </button>
      )}
    </div>
  );
};

/** Address to event types; two drafts of one address are one webhook. */
export const webhooksOf = (drafts: readonly WebhookDraft[]): Record<string, string[]> => {
  const webhooks = new Map<string, string[]>();
  for (const { url, events } of drafts) if (url.trim()) webhooks.set(url.trim(), [...(webhooks.get(url.trim()) ?? []), events]);
  return Object.fromEntries(webhooks);
};
