const isLoopback = (name: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name);

/** A server without `PUBLIC_URL` names its own address. The origin of this page can be reached, so it takes its place. */
export const reachableLink = (url: string, origin: string): string => {
  const { hostname, pathname } = new URL(url);
  return isLoopback(hostname) && !isLoopback(new URL(origin).hostname) ? new URL(pathname, origin).href : url;
};
