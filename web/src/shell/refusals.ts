/** Why a sign-in was refused, in words. The server names the reason in the address. */
const REFUSALS: Readonly<Record<string, string>> = {
  'provider-away': 'Your organisation’s sign-in service cannot be reached. Try again in a moment, or sign in with an API key.',
  'server-away': 'The server cannot sign you in at the moment. Try again, or ask the operator.',
  'not-accepted':
    'The sign-in was not accepted. Start again. If it happens again, ask the operator, who finds the reason in the server log.',
  cancelled: 'You cancelled the sign-in.',
  domain: 'Your e-mail address is not verified, or its domain may not sign in here. Ask an administrator.',
  'no-role': 'You have no role here yet. Ask an administrator to give you one on the Users page, then sign in again.',
  disabled: 'Your account here is disabled. Ask an administrator.',
  erased: 'Your account here was erased. Ask an administrator.',
};

export const refusalText = (reason: string): string => REFUSALS[reason] ?? 'The sign-in did not succeed. Start again.';
