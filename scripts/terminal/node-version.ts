/** The oldest version of Node.js that runs this tool. */
export const NODE_NEEDED = '20.19';

/** Whether a version of Node.js, such as `v20.19.0`, is new enough. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NODE_NEEDED.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
