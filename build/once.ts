/** The value of a key, found when it is first asked for. */
export function once<K, V>(
  known: {get: (key: K) => V | undefined; set: (key: K, value: V) => unknown},
  key: K,
  find: (key: K) => V,
): V {
  const value = known.get(key) ?? find(key);
  known.set(key, value);
  return value;
}
