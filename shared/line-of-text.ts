/**
 * Returns the JSON Schema of a line of at most `length` characters: no control characters, no space at its beginning, none of `ends` at its
 * end.
 */
export const lineOf = (length: number, ends = ' ') =>
  ({
    type: 'string',
    pattern: `^(?! )[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,${length}}(?<![${ends}])$`,
    description: `one line of 1 to ${length} characters without surrounding spaces`,
  }) as const;

/** JSON Schema of a line of text such as a title. */
export const lineOfText = lineOf(200);
