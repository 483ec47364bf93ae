/** The rules of the site that is bundled: `rules/rules.json` here, or another site's by an alias. */
declare module '#rules' {
  const rules: unknown;
  export default rules;
}

declare module 'cloudflare:workers' {
  /** Keeps the isolate alive until the promise settles. */
  export function waitUntil(work: Promise<unknown>): void;
}
