/**
 * Waits until `works` resolves, and prints how long that took: called when a fault is over, it measures the recovery. Returns the result of `works`.
 */
export const recovered = async <T>(after: string, works: () => Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await works();
  console.log(`recovery after ${after}: ${Math.round(performance.now() - began)} ms`);
  return result;
};
