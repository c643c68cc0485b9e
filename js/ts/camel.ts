/** Returns an object with its keys in camel case. */
export function camel<T>(raw: object): T {
  const named: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) named[key.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase())] = value;
  return named as T;
}
