import { COMMAND } from '../../commandName.ts';
import type { Config } from '../../config.ts';
import * as s from '../../schema.ts';
import type { InstalledModel } from '../../speech/models/installedModel.ts';

const CODES = ['ONLY_ENGLISH', 'NO_LANGUAGE_MODEL', 'MASTER_KEY_BESIDE_DATA', 'NO_SIGN_IN'] as const;

export const SETUP_ADVICE = s.list(
  s.named(
    'SetupAdvice',
    s.resource({
      code: s.oneOf(...CODES),
      message: s.text,
      command: s.described(s.nullable(s.text), 'A command or a setting that helps.'),
    }),
  ),
);

export interface SetupAdvice {
  readonly code: (typeof CODES)[number];
  readonly message: string;
  readonly command: string | null;
}

type Settings = Pick<Config, 'transcriberUrl' | 'llmUrl' | 'masterKey' | 'oidcIssuer'>;

/** What most installations need and this one lacks. */
export const setupAdvice = (settings: Settings, installed: readonly InstalledModel[]): SetupAdvice[] => [
  ...(settings.transcriberUrl === null && installed.every(({ languages }) => languages === 'en') ? [ONLY_ENGLISH] : []),
  ...(settings.llmUrl === null ? [NO_LANGUAGE_MODEL] : []),
  ...(settings.masterKey === null ? [MASTER_KEY_BESIDE_DATA] : []),
  ...(settings.oidcIssuer === null ? [NO_SIGN_IN] : []),
];

const ONLY_ENGLISH: SetupAdvice = {
  code: 'ONLY_ENGLISH',
  message: 'Only English can be transcribed. A multilingual model brings the other languages.',
  command: `${COMMAND} models pull base`,
};
const NO_LANGUAGE_MODEL: SetupAdvice = {
  code: 'NO_LANGUAGE_MODEL',
  message: 'Summaries are extracts, because no language model is set.',
  command: 'LLM_URL=http://localhost:11434/v1',
};
const MASTER_KEY_BESIDE_DATA: SetupAdvice = {
  code: 'MASTER_KEY_BESIDE_DATA',
  message:
    'The master key lies beside the data: anyone who copies the data directory can read everything. Keep the content of master.key elsewhere and set it.',
  command: 'MASTER_KEY=...',
};
const NO_SIGN_IN: SetupAdvice = {
  code: 'NO_SIGN_IN',
  message: "People sign in with keys. Connect your organisation's accounts.",
  command: 'OIDC_ISSUER=https://... OIDC_CLIENT_ID=...',
};
