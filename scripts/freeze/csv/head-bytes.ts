import {chunksOf} from '../../../build/rows/lines.ts';

/** How many bytes of a file's beginning are read. A header must end within them. */
const HEAD_BYTES = 1 << 18;

/** Returns the beginning of a file, decompressed, and whether that is the whole file. */
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
