/** Whether a text is base64 with padding. Takes texts of any length: a regular expression that repeats a group runs out of stack at some megabytes. */
export const isBase64 = (text: string): boolean => {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
};
