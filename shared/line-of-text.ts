/** The pattern of a line of text, but for how it ends: no control characters, no space at the beginning. */
export const LINE = '^(?! )[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*';

/** JSON Schema of one line of text: no control characters, no surrounding space. */
export const lineOfText = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: `${LINE}(?<! )$`,
  description: 'one line of 1 to 200 characters without surrounding spaces',
} as const;

const line = new RegExp(lineOfText.pattern, 'u');

/** Whether a text is one line as `lineOfText` has it, where no validator of JSON Schema runs. */
export function isLine(text: string): boolean {
  const {length} = Array.from(text);
  return length >= lineOfText.minLength && length <= lineOfText.maxLength && line.test(text);
}
