import {chunksOf} from '../../../build/rows/lines.ts';

/** How much of a file's beginning is looked at: a header must end within it. */
const HEAD_BYTES = 1 << 18;

/** The beginning of a file, unpacked, and whether that is all of it. */
export async function headBytes(
  root: string,
  file: string,
): Promise<{readonly head: Buffer; readonly isWhole: boolean}> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(root, file)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > HEAD_BYTES) break;
  }
  return {head: Buffer.concat(chunks).subarray(0, HEAD_BYTES), isWhole: length <= HEAD_BYTES};
}
