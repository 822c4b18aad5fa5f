const PARTS = /^(mongodb(?:\+srv)?:\/\/)([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * The connection string for another database of the same servers. It keeps the hosts and options, and adds `more`. It names the `authSource`, because the
 * driver would otherwise look for the user in the new database.
 */
export const withDatabase = (url: string, name: string, more: Readonly<Record<string, string>> = {}): string => {
  const [, scheme = '', authority = '', path = '', options = ''] = PARTS.exec(url) ?? [];
  if (scheme === '') throw new Error('MONGODB_URL must start with mongodb:// or mongodb+srv://');
  const wanted = new URLSearchParams(options);
  if (authority.includes('@') && !/(^|&)authSource=/i.test(options)) wanted.set('authSource', path || 'admin');
  for (const [option, value] of Object.entries(more)) wanted.set(option, value);
  const query = wanted.toString();
  return `${scheme}${authority}/${name}${query ? `?${query}` : ''}`;
};
