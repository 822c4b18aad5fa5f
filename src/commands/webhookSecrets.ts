import type { Endpoint, SecretGenerations, WebhookEndpointsState } from '../domain/webhookEndpoints/state.ts';
import type { Keys } from '../stores/keys/openKeys.ts';

/** The secrets that sign webhooks, `whsec_<base64>` of 32 bytes (Standard Webhooks). Derived from the master key and not stored. */
export class WebhookSecrets {
  readonly #keys: Pick<Keys, 'derive'>;

  constructor(keys: Pick<Keys, 'derive'>) {
    this.#keys = keys;
  }

  /** All secrets that sign an endpoint's webhooks at `now` (milliseconds since the epoch), newest first. */
  signingSecrets({ endpointId, secret }: Pick<Endpoint, 'endpointId' | 'secret'>, now: number): string[] {
    return validSecrets(this.#keys, `webhook endpoint ${endpointId}`, secret, now);
  }

  /** All secrets that sign the dynamic webhooks of a user at `now`, newest first. */
  accountSecrets(subject: string, { accountSecret }: Pick<WebhookEndpointsState, 'accountSecret'>, now: number): string[] {
    return validSecrets(this.#keys, `webhook account ${subject}`, accountSecret, now);
  }
}

/** All secrets for a purpose that are valid at `now` (milliseconds since the epoch), newest first. */
export const validSecrets = (
  keys: Pick<Keys, 'derive'>,
  purpose: string,
  { generation, previous }: SecretGenerations,
  now: number,
): string[] => {
  const still = previous.filter(({ validUntil }) => Date.parse(validUntil) > now);
  return [generation, ...still.map((old) => old.generation)].map((n) => signingSecret(keys, `${purpose} ${n}`));
};

/** The secret for a purpose, `whsec_<base64>` of 32 bytes (Standard Webhooks). Derived from the master key and not stored. */
const signingSecret = (keys: Pick<Keys, 'derive'>, purpose: string): string => `whsec_${keys.derive(purpose).toString('base64')}`;
