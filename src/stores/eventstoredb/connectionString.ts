/** Options that version 6 of the client knows, in the flat form in which it compares them. */
const OPTIONS = [
  ...[
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
  ],
  ...['nodePreference', 'throwOnAppendFailure', 'tls', 'tlsCAFile', 'userCertFile', 'userKeyFile'],
].map((name) => name.toLowerCase());

/**
 * What is wrong with a connection string, in a sentence that holds nothing of it but the names of its options; `null` when it can be tried. The client itself
 * would print the whole string, password included, for an option that it does not know.
 */
export const connectionStringProblem = (url: string): string | null => {
  if (!/^esdb(\+discover)?:\/\/[^/?]/.test(url)) return 'it begins with esdb:// or esdb+discover:// and names a host';
  const [, query = ''] = url.split('?', 2);
  for (const option of query.split('&').filter((part) => part !== '')) {
    const [name = ''] = option.split('=', 1);
    const flat = name.trim().toLowerCase().replace(/[_-]/g, '');
    if (flat === 'tlsverifycert')
      return 'tlsVerifyCert is not supported: give the certificate of the authority with tlsCAFile, or tls=false';
    if (!OPTIONS.includes(flat)) return `the option ${JSON.stringify(name)} is not known`;
  }
  return null;
};
