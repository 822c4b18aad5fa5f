import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Keys } from '../../src/stores/keys/openKeys.ts';
import type { SigningKey } from '../../src/stores/keys/signingKeys.ts';

/** Token signing keys in memory, as tokens need them. */
export class MemorySigningKeys implements Pick<Keys, 'signingKey' | 'acceptedKeys' | 'rotateSigningKey'> {
  #keys: SigningKey[] = [];

  async signingKey(): Promise<SigningKey> {
    return this.#keys[0] ?? this.#add();
  }

  async acceptedKeys(): Promise<readonly SigningKey[]> {
    return this.#keys;
  }

  async rotateSigningKey(): Promise<SigningKey> {
    return this.#add();
  }

  /** As after the overlap. */
  forgetOldKeys(): void {
    this.#keys = this.#keys.slice(0, 1);
  }

  #add(): SigningKey {
    const key: SigningKey = { kid: randomUUID(), algorithm: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
    this.#keys = [key, ...this.#keys];
    return key;
  }
}
