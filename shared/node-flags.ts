/** Returns the flags of Node for a script of this project. TypeScript sources, which only tests run, are compiled on loading. */
export function nodeFlags(script: URL): string[] {
  return script.pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
}
