/**
 * Makes paths of the command line be meant from where npm was called: npm itself runs commands in the folder of the project.
 *
 * @param command its name in `package.json`; in another one's hands, such as a test's, nothing changes
 */
export function standWhereCalled(command: string): void {
  const {npm_lifecycle_event: event, INIT_CWD: folder} = process.env;
  if (event === command && folder) process.chdir(folder);
}

/** What is said of a `--root` that is empty, as that of a variable that is not set. */
export const NO_ROOT = '--root needs a folder';
