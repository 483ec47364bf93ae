/** What Node needs to start a script of this project: sources, which only tests start, are compiled while they are loaded. */
export function nodeFlags(script: URL): string[] {
  return script.pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
}
