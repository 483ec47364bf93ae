/** Answers any unit with the environment of its thread. */
export default function environment(): NodeJS.ProcessEnv {
  return {...process.env};
}
