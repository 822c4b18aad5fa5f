import type { ModelRecord } from './modelRecord.ts';

/** A model of the Hugging Face hub, known by revision and by the hash of each file. */
export interface PublishedModel extends ModelRecord {
  readonly repository: string;
  readonly revision: string;
}

const MULTILINGUAL_FILES = [
  { file: 'tokenizer.json', bytes: 2_203_239, sha256: 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab' },
  { file: 'vocabulary.txt', bytes: 459_861, sha256: '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913' },
];

/** In order of preference. Converted by Systran from OpenAI's Whisper, MIT licence. */
export const PUBLISHED_MODELS: readonly PublishedModel[] = [
  {
    name: 'base',
    languages: 'many',
    repository: 'Systran/faster-whisper-base',
    revision: 'ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66',
    files: [
      { file: 'model.bin', bytes: 145_217_532, sha256: 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9' },
      { file: 'config.json', bytes: 2_309, sha256: '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a' },
      ...MULTILINGUAL_FILES,
    ],
  },
  {
    name: 'small',
    languages: 'many',
    repository: 'Systran/faster-whisper-small',
    revision: '536b0662742c02347bc0e980a01041f333bce120',
    files: [
      { file: 'model.bin', bytes: 483_546_902, sha256: '3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671' },
      { file: 'config.json', bytes: 2_370, sha256: 'b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828' },
      ...MULTILINGUAL_FILES,
    ],
  },
  {
    name: 'tiny.en',
    languages: 'en',
    repository: 'Systran/faster-whisper-tiny.en',
    revision: '0d3d19a32d3338f10357c0889762bd8d64bbdeba',
    files: [
      { file: 'model.bin', bytes: 75_537_502, sha256: '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a' },
      { file: 'config.json', bytes: 2_317, sha256: '14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5' },
      { file: 'tokenizer.json', bytes: 2_128_466, sha256: '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df' },
      { file: 'vocabulary.txt', bytes: 422_309, sha256: 'ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf' },
    ],
  },
];

export const publishedModel = (name: string): PublishedModel | undefined => PUBLISHED_MODELS.find((model) => model.name === name);
